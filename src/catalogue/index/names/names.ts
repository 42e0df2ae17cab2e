/** An author, or the slug of a provider: lowercase letters, digits and `. _ -`. */
export const slugPattern = /^[a-z0-9][a-z0-9._-]*$/

/** `author/slug`, or `author/slug:variant`. */
export const modelIdPattern = /^[a-z0-9][a-z0-9._-]*\/[a-z0-9][a-z0-9._@+-]*(?::[a-z0-9][a-z0-9._-]*)?$/

/** A provider's slug, with a suffix if the provider has several endpoints of a model. */
export const tagPattern = /^[a-z0-9][a-z0-9._-]*(?:\/[a-z0-9][a-z0-9._:-]*)?$/

export const parseAuthor = (modelId: string) => modelId.slice(0, modelId.indexOf('/'))

export const parseProvider = (tag: string) => tag.split('/', 1)[0]!

const dateSuffix = /-(20\d\d-?\d\d-?\d\d|\d\d-20\d\d)$/

/** Returns `author/slug-2025-08-07` followed by the variant; undefined without a date. */
export function defaultCanonicalSlug(modelId: string, created: number | undefined): string | undefined {
  if (created === undefined) return undefined
  const [base = '', variant] = modelId.split(':')
  const day = new Date(created * 1000).toISOString().slice(0, 10)
  const dated = dateSuffix.test(base) ? base : `${base}-${day}`
  return variant ? `${dated}:${variant}` : dated
}
