import { type Find, matches, unite } from '../span.ts'

const s = '\\s{1,8}'
const all = `(?:(?:all|any|every|each|of|the|your|my|these|those|this|that|its|our|other)${s}){0,4}`
const earlier = `(?:previous|prior|above|preceding|earlier|former|foregoing|original|initial|existing|system|safety|developer)`
const orders = `(?:instructions?|prompts?|rules?|directions?|guidelines?|commands?|directives?|constraints?|restrictions?|messages?|policies|policy|programming|training)`
const filler = `(?:(?:${earlier}|and|or|${orders})[\\s,]{1,4}){0,3}`

const phrases = [
  `(?:ignore|disregard|forget|override|overrule|bypass|discard|neglect|circumvent)${s}${all}${earlier}${s}${filler}${orders}`,
  `(?:ignore|disregard|forget|override|bypass)${s}(?:all|everything|anything)${s}(?:${orders}|above|before|you${s}(?:were|have${s}been|are)${s}(?:told|instructed|given)|(?:that|which)${s}(?:came|was${s}said)${s}(?:before|above))`,
  `(?:ignore|disregard|forget|bypass|override)${s}your${s}(?:(?:own|safety|content|system|ethical|usual)${s}){0,2}(?:${orders}|filters?|safeguards?|guardrails?)`,
  `do${s}not${s}(?:follow|obey)${s}${all}${earlier}${s}${orders}`,
  `(?:reveal|print|show|output|repeat|display|leak|expose|give${s}me|tell${s}me|disclose|recite|dump)${s}(?:(?:me|us|verbatim|exactly)${s}){0,2}(?:your|the)${s}(?:(?:full|entire|whole|exact|hidden|secret|initial|original|complete)${s}){0,2}(?:system${s}(?:prompt|message|instructions?)|(?:hidden|secret|initial|original)${s}(?:prompt|instructions?|rules?))`,
  `you${s}are${s}now${s}(?:in${s})?(?:an?${s})?(?:DAN\\b|jailbroken|unrestricted|unfiltered|uncensored|developer${s}mode|god${s}mode|evil|free${s}(?:from|of)${s}(?:all|any|your)${s}(?:${orders}|limits))`,
  `(?:enable|activate|enter|switch${s}to)${s}(?:developer|god|jailbreak|DAN|unrestricted|sudo)${s}mode`,
  `(?:act|behave|respond|answer|pretend)${s}(?:as${s}if|as${s}though|like|that)?${s}?you${s}(?:have|had|are${s}under|are${s}bound${s}by)${s}no${s}(?:(?:ethical|moral|content|safety)${s}){0,2}(?:${orders}|limits|limitations|filters?|guidelines)`,
  `do${s}anything${s}now`,
  `(?:new|updated|real|actual)${s}(?:system${s})?(?:instructions?|prompt):${s}(?:you|ignore|from${s}now)`,
  `from${s}now${s}on,?${s}(?:you${s}(?:will|must|shall)${s})?(?:ignore|disregard|forget|obey${s}only|answer${s}without)`,
  `without${s}(?:any${s})?(?:ethical|moral|safety|content)${s}(?:${orders}|limits|limitations|filters?)`,
  `ignorier(?:e|en${s}sie)${s}(?:alle${s})?(?:vorherigen|bisherigen|obigen|früheren)${s}(?:anweisungen|regeln|befehle)`,
  `ignore[zr]?${s}(?:toutes${s})?les${s}(?:instructions|consignes|règles)${s}(?:précédentes|antérieures)`,
  `ignora${s}(?:todas${s})?las${s}(?:instrucciones|reglas)${s}(?:anteriores|previas)`,
]
/** A separate pattern for phrases that start with a word: combined with the others, it would take 50 % longer. */
const spoken = new RegExp(phrases.join('|'), 'gi')
const token = /<\|(?:im_start|im_end|system|endoftext|start_header_id|eot_id)\|>|\[\/?INST\]|<<\/?SYS>>/gi
const headed = new RegExp(
  `(?:^|\\n)[#*\\s]{0,6}(?:system|developer)(?:${s}(?:prompt|message|override|instruction))?(?:${s})?(?:\\*\\*)?:(?:${s})?(?:you|ignore|disregard|new|override|from)`,
  'gi',
)

/**
 * Finds known phrases and control tokens of prompt injections. It cannot detect intentions: other wordings are not found,
 * and a quotation of such a phrase is.
 */
export const findPromptInjections: Find = (text) =>
  unite([...matches(text, spoken), ...matches(text, token), ...matches(text, headed)])
