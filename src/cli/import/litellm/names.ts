/** Converts a name to the form of model and provider ids. */
export const slugOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '') || 'model'

/** A slug has at most 64 characters. */
const maxSlugLength = 60

/** Converts a name to the form of preset and workspace slugs. */
export const plainSlugOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, maxSlugLength)
    .replace(/-+$/, '') || 'preset'

/** The name of the variable for the key of a provider that is not in the catalogue. */
export const keyVariableName = (slug: string) => `${slug.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}_API_KEY`

/** The variable in `os.environ/NAME`, LiteLLM's reference to an environment variable. */
export const referencedVariable = (value: unknown) =>
  typeof value === 'string' ? /^os\.environ\/(\w+)$/.exec(value)?.[1] : undefined
