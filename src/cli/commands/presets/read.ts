import type { Command } from 'commander'
import type { Preset, PresetVersion, PresetWithVersion } from '#gateway/presets/preset.ts'
import { printable } from '#platform/text/printable.ts'
import { createApiClient, managementKeyHelp } from '../../kit/api-client.ts'
import { formatRecord } from '../../kit/fields.ts'
import { minute } from '../../kit/format.ts'
import { table } from '../../kit/table.ts'
import type { Terminal } from '../../kit/terminal.ts'

type JsonOption = { json?: boolean }

export const presetPath = (slug: string, subpath = '') => `/presets/${encodeURIComponent(slug)}${subpath}`

export function readCommands(presets: Command, { env, out }: Terminal): void {
  const client = () => createApiClient(env)
  const readVersion = async (slug: string, number: string) => {
    const path = presetPath(slug, `/versions/${encodeURIComponent(number)}`)
    return (await client().request<{ data: PresetVersion }>('GET', path)).data
  }

  presets
    .command('show')
    .description('Show the configuration of a preset')
    .argument('<slug>', 'Slug of the preset, such as "support"')
    .argument('[version]', 'Version number (default: the version in use)')
    .option('--json', 'Print JSON')
    .addHelpText('after', managementKeyHelp)
    .action(async (slug: string, number: string | undefined, { json }: JsonOption) => {
      const preset = number
        ? undefined
        : (await client().request<{ data: PresetWithVersion }>('GET', presetPath(slug))).data
      const displayed = preset?.designated_version ?? (await readVersion(slug, number!))
      if (json) return out(JSON.stringify(preset ?? displayed, null, 2))
      const summary = preset && { name: preset.name, description: preset.description, status: preset.status }
      out(
        formatRecord({ ...summary, version: displayed.version, saved: displayed.created_at, by: displayed.creator_id }),
      )
      out(`\n${printable(configurationText(displayed))}`)
    })

  presets
    .command('versions')
    .description('List the versions of a preset, oldest first')
    .argument('<slug>', 'Slug of the preset')
    .option('--json', 'Print JSON')
    .addHelpText('after', managementKeyHelp)
    .action(async (slug: string, { json }: JsonOption) => {
      const all = await client().listAll<PresetVersion>(presetPath(slug, '/versions'))
      if (json) return out(JSON.stringify(all, null, 2))
      const { data } = await client().request<{ data: Preset }>('GET', presetPath(slug))
      out(versionTable(all, data.designated_version_id))
    })

  presets
    .command('diff')
    .description('Show the differences between two versions of a preset')
    .argument('<slug>', 'Slug of the preset')
    .argument('<from>', 'Version number')
    .argument('<to>', 'Version number')
    .addHelpText('after', managementKeyHelp)
    .action(async (slug: string, from: string, to: string) => {
      const [oldVersion, newVersion] = await Promise.all([readVersion(slug, from), readVersion(slug, to)])
      out(printable(diffText(fieldsOf(oldVersion), fieldsOf(newVersion))))
    })
}

const fieldsOf = ({ system_prompt, config }: PresetVersion): Record<string, unknown> => ({
  ...(system_prompt !== null && { system_prompt }),
  ...config,
})

const configurationText = (version: PresetVersion) => JSON.stringify(fieldsOf(version), null, 2)

function diffText(oldVersion: Record<string, unknown>, newVersion: Record<string, unknown>): string {
  const names = [...new Set([...Object.keys(oldVersion), ...Object.keys(newVersion)])]
  const lines: string[] = []
  for (const name of names) {
    const oldValue = JSON.stringify(oldVersion[name])
    const newValue = JSON.stringify(newVersion[name])
    if (oldValue === newValue) continue
    if (oldValue !== undefined) lines.push(`- ${name}: ${oldValue}`)
    if (newValue !== undefined) lines.push(`+ ${name}: ${newValue}`)
  }
  return lines.join('\n') || 'No differences.'
}

function versionTable(versions: PresetVersion[], usedVersion: string): string {
  const rows = versions.map((version) => [
    String(version.version),
    version.id === usedVersion ? 'in use' : '',
    minute(version.created_at),
    String(version.config.model ?? '-'),
    version.creator_id,
  ])
  return table(['VERSION', '', 'SAVED (UTC)', 'MODEL', 'SAVED BY'], rows)
}
