import type { SettingSources } from './load.ts'
import { catalogueSettings } from './settings/catalogue-settings.ts'
import { databaseSettings } from './settings/database-settings.ts'
import { internHostSettings } from './settings/intern-host-settings.ts'
import { internSettings } from './settings/intern-settings.ts'
import { jwtSettings } from './settings/jwt-settings.ts'
import { kubernetesSettings } from './settings/kubernetes-settings.ts'
import { mailSettings } from './settings/mail-settings.ts'
import { monitoringSettings } from './settings/monitoring-settings.ts'
import { networkSettings } from './settings/network-settings.ts'
import { oidcSettings } from './settings/oidc-settings.ts'
import { retentionSettings } from './settings/retention-settings.ts'
import { sessionSettings } from './settings/session-settings.ts'
import { shutdownSettings } from './settings/shutdown-settings.ts'
import { timeoutSettings } from './settings/timeout-settings.ts'
import { turnSettings } from './settings/turn-settings.ts'
import { type Config, fileOnlySettings, type SettingName, Settings, secretSettings, settingNames } from './settings.ts'

/** Formats the effective settings as lines of `name: value` with masked secrets, for `signalbox config`. */
export function showConfig(config: Config): string {
  return settingNames
    .map((name) => {
      if (config[name] === undefined) return `# ${name}: not set`
      return `${name}: ${secretSettings.has(name) ? '"********"' : JSON.stringify(visibleValue(config, name))}`
    })
    .join('\n')
}

/** The headings of docs/configuration.md, with the settings below each. All others are below "Service". */
const groups: Record<string, object> = {
  Database: databaseSettings,
  'Metrics and log': monitoringSettings,
  'Sign-in': { ...sessionSettings, ...oidcSettings },
  'Tokens of other issuers': jwtSettings,
  Email: mailSettings,
  'Slow clients and company proxy': networkSettings,
  Catalogue: catalogueSettings,
  'Timeouts of providers': timeoutSettings,
  Retention: retentionSettings,
  Interns: { ...turnSettings, ...internSettings },
  'Hosts of interns': internHostSettings,
  'Interns in Kubernetes': kubernetesSettings,
  'Stop and restart': shutdownSettings,
}

/** Generates the tables of docs/configuration.md from the schema. */
export function settingsTables(): string {
  const grouped = new Set(Object.values(groups).flatMap(Object.keys))
  const others = settingNames.filter((name) => !grouped.has(name))
  const tables: [string, string[]][] = [['Service', others]]
  for (const [title, settings] of Object.entries(groups)) tables.push([title, Object.keys(settings)])
  return tables.map(([title, names]) => `## ${title}\n\n${settingsTable(names as SettingName[])}`).join('\n\n')
}

function settingsTable(names: SettingName[]): string {
  const rows = names.map((name) => {
    const schema = Settings.shape[name]
    return `| \`${name}\` | ${defaultText(schema.safeParse(undefined).data)} | ${schema.description ?? ''} |`
  })
  return ['| setting | default | meaning |', '| --- | --- | --- |', ...rows].join('\n')
}

function defaultText(value: unknown): string {
  if (value === undefined || (typeof value === 'object' && Object.keys(value ?? {}).length === 0)) return ''
  if (Array.isArray(value)) return defaultText(value.join(', '))
  return typeof value === 'object' ? 'see below' : `\`${JSON.stringify(value)}\``
}

/** A setting as the API returns it. */
type SettingItem = {
  name: SettingName
  /** The environment variable of the setting; null if only the file can contain it. */
  variable: string | null
  meaning: string
  /** Null if it is not set or secret. */
  value: unknown
  default: unknown
  is_set: boolean
  is_secret: boolean
  source: 'environment' | 'file' | 'default'
  /** The name of the variable, or the path of the file. */
  source_name: string | null
}

/** Lists all effective settings with their sources. Secrets are omitted. */
export function effectiveSettings(config: Config, sources: SettingSources): SettingItem[] {
  return settingNames.map((name) => {
    const schema = Settings.shape[name]
    const isSecret = secretSettings.has(name)
    return {
      name,
      variable: fileOnlySettings.has(name) ? null : name.toUpperCase(),
      meaning: schema.description ?? '',
      value: isSecret ? null : (visibleValue(config, name) ?? null),
      default: schema.safeParse(undefined).data ?? null,
      is_set: config[name] !== undefined,
      is_secret: isSecret,
      source: sources[name]?.kind ?? 'default',
      source_name: sources[name]?.name ?? null,
    }
  })
}

const visibleValue = (config: Config, name: SettingName): unknown => visibleParts[name]?.(config) ?? config[name]

/** Settings that are shown in part, because their other parts can be secrets. */
const visibleParts: Partial<Record<SettingName, (config: Config) => unknown>> = {
  agents: ({ agents }) =>
    Object.fromEntries(
      Object.entries(agents).map(([name, { command, env }]) => [name, { command, variables: Object.keys(env) }]),
    ),
}
