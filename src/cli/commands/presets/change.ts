import { type Command, Option } from 'commander'
import { type Preset, PresetStatus, type PresetWithVersion } from '#gateway/presets/preset.ts'
import { StartupError } from '#platform/core/fault.ts'
import { apiClient, clientHelp } from '../../kit/api-client.ts'
import { bodyFrom } from '../../kit/fields.ts'
import type { Terminal } from '../../kit/terminal.ts'
import { presetPath } from './read.ts'

/** The path of each kind of request body that a preset can be saved from. */
const paths = { responses: '/responses', chat: '/chat/completions', messages: '/messages' } as const
type Kind = keyof typeof paths

export function changeCommands(presets: Command, { env, out }: Terminal): void {
  presets
    .command('save')
    .description('save a request body as a new version, which is used from then on')
    .argument('<slug>', 'the preset: it is made where there is none')
    .argument('<file>', 'JSON: a body that works for you')
    .addOption(
      new Option('--as <kind>', 'what kind of request it is (default: chat with "messages", else responses)').choices(
        Object.keys(paths),
      ),
    )
    .addHelpText('after', clientHelp)
    .action(async (slug: string, file: string, { as: named }: { as?: Kind }) => {
      const body = bodyFrom(file)
      const kind = named ?? ('messages' in body ? 'chat' : 'responses')
      const { data } = await apiClient(env).ask<{ data: PresetWithVersion }>(
        'POST',
        presetPath(slug, paths[kind]),
        body,
      )
      out(
        `Saved version ${data.designated_version.version} of "${data.slug}". Requests use it as "@preset/${data.slug}".`,
      )
    })

  presets
    .command('use')
    .description('make a version, usually an older one, the one that is used')
    .argument('<slug>', 'the preset')
    .argument('<version>', 'the number of the version')
    .addHelpText('after', clientHelp)
    .action(async (slug: string, version: string) => {
      await apiClient(env).ask('POST', presetPath(slug, `/versions/${encodeURIComponent(version)}/designate`))
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
