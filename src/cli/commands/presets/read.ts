import type { Command } from 'commander'
import type { Preset, PresetVersion, PresetWithVersion } from '#gateway/presets/preset.ts'
import { printable } from '#platform/text/printable.ts'
import { apiClient, clientHelp } from '../../kit/api-client.ts'
import { listing } from '../../kit/fields.ts'
import { table } from '../../kit/table.ts'
import type { Terminal } from '../../kit/terminal.ts'

type Json = { json?: boolean }

export const presetPath = (slug: string, below = '') => `/presets/${encodeURIComponent(slug)}${below}`

export function readCommands(presets: Command, { env, out }: Terminal): void {
  const client = () => apiClient(env)
  const version = async (slug: string, number: string) =>
    (await client().ask<{ data: PresetVersion }>('GET', presetPath(slug, `/versions/${encodeURIComponent(number)}`)))
      .data

  presets
    .command('list')
    .description('list the presets of your key’s workspace, the last changed first')
    .option('--json', 'print them as JSON')
    .addHelpText('after', clientHelp)
    .action(async ({ json }: Json) => {
      const all = await client().listAll<Preset>('/presets')
      out(json ? JSON.stringify(all, null, 2) : presetTable(all))
    })

  presets
    .command('show')
    .description('tell what a preset configures: the version that is used, or another one')
    .argument('<slug>', 'its name in requests, such as "support"')
    .argument('[version]', 'the number of a version')
    .option('--json', 'print it as JSON')
    .addHelpText('after', clientHelp)
    .action(async (slug: string, number: string | undefined, { json }: Json) => {
      const used = number ? undefined : (await client().ask<{ data: PresetWithVersion }>('GET', presetPath(slug))).data
      const shown = used?.designated_version ?? (await version(slug, number!))
      if (json) return out(JSON.stringify(used ?? shown, null, 2))
      const about = used && { name: used.name, description: used.description, status: used.status }
      out(listing({ ...about, version: shown.version, saved: shown.created_at, by: shown.creator_id }))
      out(`\n${printable(configured(shown))}`)
    })

  presets
    .command('versions')
    .description('list the versions of a preset, the oldest first')
    .argument('<slug>', 'its name in requests')
    .option('--json', 'print them as JSON')
    .addHelpText('after', clientHelp)
    .action(async (slug: string, { json }: Json) => {
      const all = await client().listAll<PresetVersion>(presetPath(slug, '/versions'))
      if (json) return out(JSON.stringify(all, null, 2))
      const { data } = await client().ask<{ data: Preset }>('GET', presetPath(slug))
      out(versionTable(all, data.designated_version_id))
    })

  presets
    .command('diff')
    .description('tell how two versions of a preset differ')
    .argument('<slug>', 'its name in requests')
    .argument('<from>', 'the number of a version')
    .argument('<to>', 'the number of another one')
    .addHelpText('after', clientHelp)
    .action(async (slug: string, from: string, to: string) => {
      const [before, after] = await Promise.all([version(slug, from), version(slug, to)])
      out(printable(differences(fieldsOf(before), fieldsOf(after))))
    })
}

const fieldsOf = ({ system_prompt, config }: PresetVersion): Record<string, unknown> => ({
  ...(system_prompt !== null && { system_prompt }),
  ...config,
})

const configured = (version: PresetVersion) => JSON.stringify(fieldsOf(version), null, 2)

function differences(before: Record<string, unknown>, after: Record<string, unknown>): string {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const lines = names.flatMap((name) => {
    const [was, is] = [before[name], after[name]].map((value) => JSON.stringify(value))
    if (was === is) return []
    return [...(was === undefined ? [] : [`- ${name}: ${was}`]), ...(is === undefined ? [] : [`+ ${name}: ${is}`])]
  })
  return lines.join('\n') || 'They configure the same.'
}

function presetTable(presets: Preset[]): string {
  const rows = presets.map(({ slug, name, status, updated_at, description }) => [
    slug,
    name,
    status,
    updated_at.slice(0, 16).replace('T', ' '),
    description ?? '',
  ])
  return table(['SLUG', 'NAME', 'STATUS', 'CHANGED (UTC)', 'ABOUT'], rows)
}

function versionTable(versions: PresetVersion[], used: string): string {
  const rows = versions.map((version) => [
    String(version.version),
    version.id === used ? 'used' : '',
    version.created_at.slice(0, 16).replace('T', ' '),
    String(version.config.model ?? '-'),
    version.creator_id,
  ])
  return table(['VERSION', '', 'SAVED (UTC)', 'MODEL', 'BY'], rows)
}
