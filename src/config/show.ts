import { type Config, Settings, secretSettings, settingNames } from './settings.ts'

/** The effective settings as YAML-like lines, secrets masked, for `signalbox config`. */
export function showConfig(config: Config): string {
  return settingNames
    .map((name) => {
      const value = config[name]
      if (value === undefined) return `# ${name}: not set`
      return `${name}: ${secretSettings.has(name) ? '"********"' : JSON.stringify(value)}`
    })
    .join('\n')
}

/** The table of docs/configuration.md, made from the schema so that it cannot go stale. */
export function settingsTable(): string {
  const rows = settingNames.map((name) => {
    const schema = Settings.shape[name]
    return `| \`${name}\` | ${shownDefault(schema.safeParse(undefined).data)} | ${schema.description ?? ''} |`
  })
  return ['| setting | default | meaning |', '| --- | --- | --- |', ...rows].join('\n')
}

function shownDefault(value: unknown): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return ''
  return typeof value === 'object' ? 'see below' : `\`${JSON.stringify(value)}\``
}
