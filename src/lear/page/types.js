/**
 * What the service answers, and what the page makes of it: types only.
 *
 * @typedef {{type: string, symbol: string, feature?: string}} Primitive
 *
 * @typedef {object} DerivationNode  A primitive has no children, an operation has one or more.
 * @property {[number, number]} span  Among the tokens, half-open.
 * @property {string} symbol  What a rule shows of it.
 * @property {string} [operation]
 * @property {Primitive} [primitive]
 * @property {string} meaning  Of this part alone.
 * @property {number | null} score
 * @property {number} order  When it was put together, from 0 on.
 * @property {DerivationNode[]} [children]
 *
 * @typedef {object} Answer
 * @property {string} form
 * @property {number | null} probability
 * @property {number | null} [score]
 * @property {WordMark[]} [marks]
 * @property {unknown} [answer]
 * @property {string | null} [answer_text]
 * @property {string | null} [error]
 * @property {DerivationNode | null} [derivation]
 *
 * @typedef {"repaired" | "guessed" | "overlooked" | "unused"} MarkKind
 * @typedef {{span: [number, number], kind: MarkKind, text: string}} WordMark
 * @typedef {{span: [number, number], why: string}} RefusedSpan
 *
 * @typedef {object} Result
 * @property {string} text
 * @property {string[]} tokens
 * @property {string | null} form
 * @property {number | null} probability
 * @property {string | null} [reason]
 * @property {RefusedSpan[]} [refused]
 * @property {WordMark[]} [marks]  Of the best answer; or, where there is none, of the sentence.
 * @property {Answer[]} nbest  All answers, best first; none if only one was asked for.
 *
 * @typedef {{name: string, domain: string, description: string, can_execute: boolean}} ModelSummary
 * @typedef {{kind: string, text: string}} ExampleSentence
 * @typedef {ModelSummary & {examples: ExampleSentence[], operations: Record<string, string>, decoding: string}} ModelCard
 *
 * @typedef {{type: string, symbol: string, feature: string, count: number}} LexiconEntry
 * @typedef {object} LexiconAnswer
 * @property {string} model
 * @property {string} word
 * @property {{unit: string, entries: LexiconEntry[]}[]} units
 * @property {number | null} function_word
 * @property {string | null} suggestion
 *
 * @typedef {{model: string, text: string}} Question  What one side of the page asks.
 *
 * @typedef {object} Shown  What one side shows of its result.
 * @property {number} rank  Of the answer.
 * @property {number | null} step  So many nodes of the tree; null for the whole of it.
 * @property {number | null} node  The order of the chosen node, if one is.
 *
 * @typedef {object} PageState  All that a link brings back.
 * @property {Question[]} questions  One, or two to compare.
 * @property {number} nbest
 * @property {"refuse" | "overlook"} unknownWords
 * @property {number} minProbability
 * @property {Shown[]} shown  What each side shows.
 */

export {};
