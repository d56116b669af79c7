#!/bin/sh
# `make demo`: lear on the language that it ships with. $1 is the lear command.
set -e
lear=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }

say "1. What 400 shallow sentences teach about words (some of it): lear lexicon toy --word ..."
for word in Tom teaches friend "'s"; do "$lear" lexicon toy --word "$word" 2>/dev/null; done

say "2. How far algebra and lexicon reach on deeper and newer sentences: lear coverage toy"
"$lear" coverage toy

say "3. Learning from the 400 sentences: lear train toy"
"$lear" train toy --output "$work/run" --curriculum '[{epochs = 8}]' >/dev/null

say "4. The score by depth, and on new uses of words; then on sentences like the 400 (dev): lear evaluate"
"$lear" evaluate "$work/run" toy
"$lear" evaluate "$work/run" toy --part dev | grep '^toy/deep dev'

say "5. A small Transformer, trained until dev stands still, about a minute; the last line is dev: lear baseline toy"
"$lear" baseline toy

say "6. The paper's Figure 1, which training never showed: lear parse"
"$lear" parse "$work/run" "Tom teaches John 's daughter 's daughter"

say "7. The model of COGS that ships with lear: lear parse cogs"
"$lear" parse cogs "A rose was helped by a dog in a house ."

say "8. The model of CFQ, and its query run on a small world: lear parse cfq --execute"
"$lear" parse cfq "Which actor that M1 was directed by married M2 's sibling" --execute

say "9. The model of GEO, learned from 600 questions that people wrote: lear parse geo"
"$lear" parse geo "Which rivers run through the states that border the state with the largest population?"
