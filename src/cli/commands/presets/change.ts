import { type Command, Option } from 'commander'
import { type Preset, PresetStatus, type SavedPresetVersion } from '#gateway/presets/preset.ts'
import { StartupError } from '#platform/core/fault.ts'
import { printable } from '#platform/text/printable.ts'
import { apiClient, clientHelp } from '../../kit/api-client.ts'
import { bodyFrom } from '../../kit/fields.ts'
import type { Terminal } from '../../kit/terminal.ts'
import { presetPath } from './read.ts'

const kinds = ['responses', 'chat', 'messages'] as const
type Kind = (typeof kinds)[number]

const designatePath = (slug: string, version: string | number) =>
  presetPath(slug, `/versions/${encodeURIComponent(version)}/designate`)

function savedText(slug: string, { version, skipped_fields }: SavedPresetVersion, isUsed: boolean): string {
  const usage = isUsed
    ? `Requests use it as "@preset/${slug}".`
    : `Requests do not use it yet. To use it: signalbox presets use ${slug} ${version}`
  const skippedFields =
    skipped_fields.length > 0 ? `\nNot saved, because presets have no such fields: ${skipped_fields.join(', ')}.` : ''
  return `Saved version ${version} of "${slug}". ${usage}${printable(skippedFields)}`
}

export function changeCommands(presets: Command, { env, out }: Terminal): void {
  presets
    .command('save')
    .description('Save a request body as a new version; requests keep the version they use')
    .argument('<slug>', 'the preset; created when it does not exist')
    .argument('<file>', 'JSON: a body that works for you')
    .addOption(
      new Option('--as <kind>', 'what kind of request it is (default: chat with "messages", else responses)').choices([
        ...kinds,
      ]),
    )
    .option('--use', 'let requests use the new version at once')
    .addHelpText('after', clientHelp)
    .action(async (slug: string, file: string, { as: named, use }: { as?: Kind; use?: boolean }) => {
      const body = bodyFrom(file)
      const kind = named ?? ('messages' in body ? 'chat' : 'responses')
      const { data } = await apiClient(env).ask<{ data: SavedPresetVersion }>('POST', presetPath(slug, '/versions'), {
        [kind]: body,
      })
      if (use) await apiClient(env).ask('POST', designatePath(slug, data.version))
      out(savedText(slug, data, use || data.is_designated))
    })

  presets
    .command('use')
    .description('make a version, usually an older one, the one that is used')
    .argument('<slug>', 'the preset')
    .argument('<version>', 'the number of the version')
    .addHelpText('after', clientHelp)
    .action(async (slug: string, version: string) => {
      await apiClient(env).ask('POST', designatePath(slug, version))
      out(`"${slug}" uses version ${version} now.`)
    })

  presets
    .command('set')
    .description('rename or describe a preset, or change whether it can be used')
    .argument('<slug>', 'the preset')
    .option('--name <text>', 'its name for people')
    .option('--description <text>', 'what it is for')
    .addOption(new Option('--status <status>', 'only an active one can be used').choices(PresetStatus.options))
    .addHelpText('after', clientHelp)
    .action(async (slug: string, wanted: { name?: string; description?: string; status?: PresetStatus }) => {
      if (Object.keys(wanted).length === 0) {
        throw new StartupError('Name what is to change: --name, --description or --status.')
      }
      const { data } = await apiClient(env).ask<{ data: Preset }>('PATCH', presetPath(slug), wanted)
      out(`"${data.slug}" is ${data.status}, and named "${data.name}".`)
    })
}
