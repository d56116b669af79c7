#!/bin/sh
# `make demo`: lear on the language that it ships with. $1 is the lear command.
set -e
lear=$1

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }

say "1. What 400 shallow sentences teach about words (some of it): lear lexicon toy --word ..."
for word in Tom teaches friend "'s"; do "$lear" lexicon toy --word "$word" 2>/dev/null; done

say "2. How far algebra and lexicon reach on deeper and newer sentences: lear coverage toy --by-category"
"$lear" coverage toy --by-category

say "3. The paper's Figure 1, which training never showed: lear show toy ..."
"$lear" show toy "Tom teaches John 's daughter 's daughter" \
  --gold "teach ( tom , daughter ( daughter ( john ) ) )"
