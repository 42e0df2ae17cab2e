import type { ProviderNeeds, Setting } from '../api/types.ts'

/** What to paste into a shell for a provider that is not ready. */
export const environmentLines = ({ missing }: Pick<ProviderNeeds, 'missing'>): string =>
  [...missing.map((variable) => `export ${variable}=…`), 'npm start'].join('\n')

/** A value as the configuration file would have it. */
export function formatValue({ value, is_set, is_secret }: Pick<Setting, 'value' | 'is_set' | 'is_secret'>): string {
  if (!is_set) return 'not set'
  if (is_secret) return 'set (hidden)'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Where a value comes from. */
export const formatSource = ({ source, source_name }: Pick<Setting, 'source' | 'source_name'>): string =>
  source_name ?? source

/** The settings whose name or meaning has every word. */
export function searchSettings<One extends Pick<Setting, 'name' | 'meaning'>>(settings: One[], typed: string): One[] {
  const words = typed.toLowerCase().split(/\s+/)
  return settings.filter(({ name, meaning }) => {
    const text = `${name} ${meaning}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
