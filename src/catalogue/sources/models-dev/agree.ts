/** Words for a model's size or tuning, which some names omit. */
const detail = /^(\d+(\.\d+)?[bt]|a\d+(\.\d+)?b|\d+e|e\d+b|instruct|it|chat|hf)$/

/** Dates are release names of the vendor, and `preview` is omitted after the preview. Both can be missing. */
const mayBeMissing = /^(20\d{6}|preview)$/

/**
 * Whether a provider's name for a model can mean the model that the row is based on. The snapshot's `base_model` shows
 * where facts were copied from. Sometimes that is a sibling: another size, an older release, a faster edition. So every
 * word of one name must be in the other, except words for size and tuning.
 */
export function namesAgree(name: string, base: string): boolean {
  if (squash(name) === squash(base)) return true
  const [own, other] = [wordsOf(name), wordsOf(base)]
  const extra = own.filter((word) => !other.includes(word))
  const missing = other.filter((word) => !own.includes(word))
  const sizesClash = extra.some((word) => detail.test(word)) && missing.some((word) => detail.test(word))
  return (
    !sizesClash &&
    extra.every((word) => detail.test(word)) &&
    missing.every((word) => detail.test(word) || mayBeMissing.test(word))
  )
}

const squash = (name: string) => name.replace(/[._-]/g, '')

/** `claude-3-7-sonnet` is claude, 3, 7, sonnet; `qwen3.5-27b` is qwen, 3, 5, 27b. */
function wordsOf(name: string): string[] {
  return name
    .replace(/(?<![a-z0-9])([a-z]{2,})(?=\d)/g, '$1-')
    .split(/[._-]+/)
    .filter(Boolean)
}
