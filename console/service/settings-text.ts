import type { ProviderNeeds, Setting } from '../api/types.ts'
import { matchesAllWords } from '../components/filters/matches-all-words.ts'

/** The shell commands that configure a provider. */
export const environmentLines = ({ missing }: Pick<ProviderNeeds, 'missing'>): string =>
  [...missing.map((variable) => `export ${variable}=…`), 'npm start'].join('\n')

/** Formats a value as in the configuration file. */
export function formatValue({ value, is_set, is_secret }: Pick<Setting, 'value' | 'is_set' | 'is_secret'>): string {
  if (!is_set) return 'not set'
  if (is_secret) return 'set (hidden)'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The source of a value. */
export const formatSource = ({ source, source_name }: Pick<Setting, 'source' | 'source_name'>): string =>
  source_name ?? source

/** The settings whose name or description contains every word. */
export const searchSettings = <One extends Pick<Setting, 'name' | 'meaning'>>(
  settings: One[],
  searchText: string,
): One[] => settings.filter(({ name, meaning }) => matchesAllWords(`${name} ${meaning}`, searchText))
