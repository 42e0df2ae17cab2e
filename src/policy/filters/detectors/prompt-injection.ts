import { type FindSpans, findMatches, mergeSpans } from '../span.ts'

const space = '\\s{1,8}'
const determiners = `(?:(?:all|any|every|each|of|the|your|my|these|those|this|that|its|our|other)${space}){0,4}`
const earlierWords = `(?:previous|prior|above|preceding|earlier|former|foregoing|original|initial|existing|system|safety|developer)`
const instructionWords = `(?:instructions?|prompts?|rules?|directions?|guidelines?|commands?|directives?|constraints?|restrictions?|messages?|policies|policy|programming|training)`
const filler = `(?:(?:${earlierWords}|and|or|${instructionWords})[\\s,]{1,4}){0,3}`

const phrases = [
  `(?:ignore|disregard|forget|override|overrule|bypass|discard|neglect|circumvent)${space}${determiners}${earlierWords}${space}${filler}${instructionWords}`,
  `(?:ignore|disregard|forget|override|bypass)${space}(?:all|everything|anything)${space}(?:${instructionWords}|above|before|you${space}(?:were|have${space}been|are)${space}(?:told|instructed|given)|(?:that|which)${space}(?:came|was${space}said)${space}(?:before|above))`,
  `(?:ignore|disregard|forget|bypass|override)${space}your${space}(?:(?:own|safety|content|system|ethical|usual)${space}){0,2}(?:${instructionWords}|filters?|safeguards?|guardrails?)`,
  `do${space}not${space}(?:follow|obey)${space}${determiners}${earlierWords}${space}${instructionWords}`,
  `(?:reveal|print|show|output|repeat|display|leak|expose|give${space}me|tell${space}me|disclose|recite|dump)${space}(?:(?:me|us|verbatim|exactly)${space}){0,2}(?:your|the)${space}(?:(?:full|entire|whole|exact|hidden|secret|initial|original|complete)${space}){0,2}(?:system${space}(?:prompt|message|instructions?)|(?:hidden|secret|initial|original)${space}(?:prompt|instructions?|rules?))`,
  `you${space}are${space}now${space}(?:in${space})?(?:an?${space})?(?:DAN\\b|jailbroken|unrestricted|unfiltered|uncensored|developer${space}mode|god${space}mode|evil|free${space}(?:from|of)${space}(?:all|any|your)${space}(?:${instructionWords}|limits))`,
  `(?:enable|activate|enter|switch${space}to)${space}(?:developer|god|jailbreak|DAN|unrestricted|sudo)${space}mode`,
  `(?:act|behave|respond|answer|pretend)${space}(?:as${space}if|as${space}though|like|that)?${space}?you${space}(?:have|had|are${space}under|are${space}bound${space}by)${space}no${space}(?:(?:ethical|moral|content|safety)${space}){0,2}(?:${instructionWords}|limits|limitations|filters?|guidelines)`,
  `do${space}anything${space}now`,
  `(?:new|updated|real|actual)${space}(?:system${space})?(?:instructions?|prompt):${space}(?:you|ignore|from${space}now)`,
  `from${space}now${space}on,?${space}(?:you${space}(?:will|must|shall)${space})?(?:ignore|disregard|forget|obey${space}only|answer${space}without)`,
  `without${space}(?:any${space})?(?:ethical|moral|safety|content)${space}(?:${instructionWords}|limits|limitations|filters?)`,
  `ignorier(?:e|en${space}sie)${space}(?:alle${space})?(?:vorherigen|bisherigen|obigen|früheren)${space}(?:anweisungen|regeln|befehle)`,
  `ignore[zr]?${space}(?:toutes${space})?les${space}(?:instructions|consignes|règles)${space}(?:précédentes|antérieures)`,
  `ignora${space}(?:todas${space})?las${space}(?:instrucciones|reglas)${space}(?:anteriores|previas)`,
]
/** A separate pattern for phrases that start with a word: combined with the others, it would take 50 % longer. */
const phrasePattern = new RegExp(phrases.join('|'), 'gi')
const controlToken = /<\|(?:im_start|im_end|system|endoftext|start_header_id|eot_id)\|>|\[\/?INST\]|<<\/?SYS>>/gi
const rolePattern = new RegExp(
  `(?:^|\\n)[#*\\s]{0,6}(?:system|developer)(?:${space}(?:prompt|message|override|instruction))?(?:${space})?(?:\\*\\*)?:(?:${space})?(?:you|ignore|disregard|new|override|from)`,
  'gi',
)

/**
 * Finds known phrases and control tokens of prompt injections. It cannot detect intentions: other wordings are not found,
 * and a quotation of such a phrase is.
 */
export const findPromptInjections: FindSpans = (text) =>
  mergeSpans([
    ...findMatches(text, phrasePattern),
    ...findMatches(text, controlToken),
    ...findMatches(text, rolePattern),
  ])
