/** Converts a name to the form of model and provider ids. */
export const slugOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '') || 'model'

/** Converts a name to the form of preset and workspace slugs. */
export const plainSlugOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
    .replace(/-+$/, '') || 'preset'

export const variableOf = (slug: string) => `${slug.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}_API_KEY`

/** The variable in `os.environ/NAME`, LiteLLM's reference to an environment variable. */
export const environmentName = (value: unknown) =>
  typeof value === 'string' ? /^os\.environ\/(\w+)$/.exec(value)?.[1] : undefined
