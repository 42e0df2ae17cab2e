/** A word for a model's size or tuning, which some names omit. */
const sizeOrTuning = /^(\d+(\.\d+)?[bt]|a\d+(\.\d+)?b|\d+e|e\d+b|instruct|it|chat|hf)$/

/** A word that a provider's name can omit: the date of a release, or `preview`. */
const omissibleWord = /^(20\d{6}|preview)$/

/**
 * Whether a provider's name for a model is compatible with the row's `base_model`, from which models.dev copied facts.
 * Sometimes that is a similar model: another size, an older release, a faster edition. So every word of one name must be
 * in the other, except words for size and tuning.
 */
export function namesAgree(name: string, base: string): boolean {
  if (withoutSeparators(name) === withoutSeparators(base)) return true
  const nameWords = splitWords(name)
  const baseWords = splitWords(base)
  const extra = nameWords.filter((word) => !baseWords.includes(word))
  const missing = baseWords.filter((word) => !nameWords.includes(word))
  const sizesClash = extra.some((word) => sizeOrTuning.test(word)) && missing.some((word) => sizeOrTuning.test(word))
  return (
    !sizesClash &&
    extra.every((word) => sizeOrTuning.test(word)) &&
    missing.every((word) => sizeOrTuning.test(word) || omissibleWord.test(word))
  )
}

const withoutSeparators = (name: string) => name.replace(/[._-]/g, '')

/** `claude-3-7-sonnet` is claude, 3, 7, sonnet; `qwen3.5-27b` is qwen, 3, 5, 27b. */
function splitWords(name: string): string[] {
  return name
    .replace(/(?<![a-z0-9])([a-z]{2,})(?=\d)/g, '$1-')
    .split(/[._-]+/)
    .filter(Boolean)
}
