/** A phrase that does not belong in code, documents or messages, and what to write instead. */
type DeniedPhrase = { pattern: RegExp; instead: string }

/** Matched in code, comments, messages and documents alike. Camel case is split into words first. */
export const deniedPhrases: readonly DeniedPhrase[] = [
  { pattern: /\b(tell|tells|told|telling)\b/gi, instead: 'notify, report, return, log, show, list' },
  { pattern: /\bunless told\b/gi, instead: 'defaults to' },
  { pattern: /\bunder way\b/gi, instead: 'in flight, running, pending' },
  { pattern: /\b(begun|began|begin anew)\b/gi, instead: 'started, restart, retry' },
  { pattern: /\b(goes|went|going|go) on\b/gi, instead: 'continues, resumes' },
  {
    pattern: /(?<!there )\b(is|are|was|were) no (?!longer\b|more\b|less\b|need\b)[a-z]+/gi,
    instead: 'is not an X, has no X',
  },
  { pattern: /\bbec(omes?|ame|ome) of\b/gi, instead: 'the result of, the outcome of' },
  { pattern: /\banew\b/gi, instead: 'again' },
  { pattern: /\bbesides\b/gi, instead: 'also' },
  { pattern: /\bseldom\b/gi, instead: 'rarely' },
  { pattern: /\bhastens?\b/gi, instead: 'flush now' },
  { pattern: /\b(left|shut) out\b/gi, instead: 'skipped, excluded' },
  { pattern: /\bnot asked\b/gi, instead: 'skipped, not called' },
  { pattern: /\bby lot\b/gi, instead: 'random, weighted random' },
  { pattern: /\bof (its|their|our|his|her|your|my) own\b/gi, instead: 'own, custom, dedicated' },
  { pattern: /\bput (together|in)\b/gi, instead: 'built, compiled, inserted' },
  {
    pattern: /\b(is|are|was|were) to (be|have|sleep|hold|hear|go|take|make|know|stay|end)\b/gi,
    instead: 'will, must, should',
  },
  { pattern: /\b(whoever|whosoever)\b/gi, instead: 'name the actor: the caller, the client, the owner' },
  {
    pattern: /(?:^|[.;:*/] )\s*(Who|Whose|Whom) [a-z]+/gm,
    instead: 'name the actor: the caller, the client, the owner',
  },
  {
    pattern: /(?:\/\*\*|\/\/|^\s*\*) What (?!to\b)[a-z]+/gm,
    instead: 'start with the noun that the comment describes',
  },
]

/**
 * Words of the API and of stored data, which must not change. They do not count, wherever they stand: database tables and
 * columns, and fields of the API and of spill files.
 */
export const frozenNames: readonly string[] = [
  'began_at',
  'left_out',
  'notAsked',
  'not_asked',
  'requests_under_way',
  'told_at',
  'told_limits',
]

/** Names that identify nothing: denied as the name of a variable, parameter, function or property of the code. */
export const deniedNames: Readonly<Record<string, string>> = {
  asked: 'request, call, endpoint',
  told: 'reported, sent',
  known: 'the noun that is known: existing, previous, cached',
  heard: 'events, received',
  again: 'the action that is repeated',
  away: 'unreachable, disconnected',
  behind: 'lag, pending',
  seldom: 'rarely',
  touched: 'changed, modified',
  gone: 'removed, closed',
  wanted: 'requested, expected',
  kept: 'stored, cached, retained',
  left: 'remaining, rest',
  said: 'message, text',
  meant: 'intended, suggestion',
  shown: 'displayed, visible',
}
