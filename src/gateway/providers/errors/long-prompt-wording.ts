/** Longer messages are not searched, because the patterns take quadratic time for some texts. */
const maxLength = 2000

/** The prompt or a part of it, also in names such as `prompt_len`. */
const prompt = '(?<![a-z])(?:prompts?|inputs?|context|conversation|messages|total tokens)(?![a-z])'

/** Sentences that say that a prompt is too long, in words that many servers share. */
const wholeSentences: readonly RegExp[] = [
  new RegExp(String.raw`${prompt}[\w ,()]{0,40} too (?:long|large|big)\b`, 'i'),
  new RegExp(String.raw`${prompt} too long\b`, 'i'),
  /too many (?:input|prompt) tokens/i,
  /(?:输入|提示|上下文|prompt|tokens?|对话).{0,12}(?:超过|超出|超限|过长|超长)/i,
  /(?:超过|超出).{0,12}(?:上下文|长度)/,
]

/** The parts of a sentence in other words: the prompt, its size, a limit, and that the size exceeds the limit. */
const requiredParts: readonly RegExp[] = [
  new RegExp(prompt, 'i'),
  /tokens?(?![a-z])|length|context|_len\b|n_ctx/i,
  /\bmax|\blimit|\bcontext|\bwindow|n_ctx/i,
  /exceed|(?:longer|greater|larger|more) than|(?:must|should) be (?:<|less)|>=? ?[\dn]/i,
]

/** Limits of other things: rates, quotas, responses, times, and single values of a request. */
const otherLimits = new RegExp(
  [
    String.raw`per[- ]?(?:second|minute|min|hour|day)|this minute|\b[tr]p[md]\b|\brate\b|quota|throttl|billing`,
    'deadline|time(?:d )?out|concurren',
    String.raw`(?:max(?:imum)?|number of|\d) (?:output|completion) tokens|output limit`,
    String.raw`(?<!(?:\+|length) .?)max_(?:completion_|output_|new_)?tokens.{0,20}(?:must|should|exceed|is too|cannot|:)`,
    String.raw`\b(?:string|array|batch|schema|images?|audio|video|files?|documents?|characters?|bytes|MB|name)\b`,
    '配额|额度|余额|频|每分钟|限流|速率',
  ].join('|'),
  'i',
)

/** Whether an error message says that the prompt is longer than the context of the model, in the words of any server. */
export function describesLongPrompt(message: string): boolean {
  if (message.length > maxLength || otherLimits.test(message)) return false
  return wholeSentences.some((sentence) => sentence.test(message)) || requiredParts.every((part) => part.test(message))
}
