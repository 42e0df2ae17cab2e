/** The form of a name in ids of models and providers. */
export const slugOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '') || 'model'

/** The form of a name in presets and workspaces. */
export const plainSlugOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
    .replace(/-+$/, '') || 'preset'

export const variableOf = (slug: string) => `${slug.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}_API_KEY`

/** `os.environ/NAME`, LiteLLM's way to name a variable. */
export const environmentName = (value: unknown) =>
  typeof value === 'string' ? /^os\.environ\/(\w+)$/.exec(value)?.[1] : undefined
