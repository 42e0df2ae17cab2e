import { type Command, Option } from 'commander'
import type { SavedPresetVersion } from '#gateway/presets/preset.ts'
import { printable } from '#platform/text/printable.ts'
import { createApiClient, managementKeyHelp } from '../../kit/api-client.ts'
import { readBodyFile } from '../../kit/fields.ts'
import type { Terminal } from '../../kit/terminal.ts'
import { presetPath } from './read.ts'

const kinds = ['responses', 'chat', 'messages', 'settings'] as const
type Kind = (typeof kinds)[number]

const designatePath = (slug: string, version: string | number) =>
  presetPath(slug, `/versions/${encodeURIComponent(version)}/designate`)

function savedText(slug: string, { version, skipped_fields }: SavedPresetVersion, isUsed: boolean): string {
  const usage = isUsed
    ? `Requests use it as "@preset/${slug}".`
    : `Requests do not use it yet. To use it: npx signalbox presets use ${slug} ${version}`
  const skippedFields =
    skipped_fields.length > 0 ? `\nNot saved, because presets have no such fields: ${skipped_fields.join(', ')}.` : ''
  return `Saved version ${version} of "${slug}". ${usage}${printable(skippedFields)}`
}

function versionBody(file: string, kind: Kind | undefined): object {
  const body = readBodyFile(file)
  return { [kind ?? guessKind(body)]: body }
}

function guessKind(body: object): Kind {
  if ('config' in body) return 'settings'
  return 'messages' in body ? 'chat' : 'responses'
}

export function changeCommands(presets: Command, { env, out }: Terminal): void {
  presets
    .command('save')
    .description('Save a request body as a new version. Requests keep using the current version')
    .argument('<slug>', 'Slug of the preset; created if it does not exist')
    .argument('<file>', 'JSON file with a request body, or with the system_prompt and config of a version')
    .addOption(
      new Option(
        '--as <kind>',
        'Kind of the file (default: settings if it has "config", chat if it has "messages", otherwise responses)',
      ).choices([...kinds]),
    )
    .option('--use', 'Use the new version for requests immediately')
    .addHelpText('after', managementKeyHelp)
    .action(async (slug: string, file: string, { as: kindOption, use }: { as?: Kind; use?: boolean }) => {
      const body = versionBody(file, kindOption)
      const { data } = await createApiClient(env).request<{ data: SavedPresetVersion }>(
        'POST',
        presetPath(slug, '/versions'),
        body,
      )
      if (use) await createApiClient(env).request('POST', designatePath(slug, data.version))
      out(savedText(slug, data, use || data.is_designated))
    })

  presets
    .command('preview')
    .description('Check a version without saving it, and print the chat request that it makes')
    .argument('<slug>', 'Slug of the preset; it does not have to exist')
    .argument('<file>', 'JSON file with a request body, or with the system_prompt and config of a version')
    .addOption(new Option('--as <kind>', 'Kind of the file (default: as for save)').choices([...kinds]))
    .addHelpText('after', managementKeyHelp)
    .action(async (slug: string, file: string, { as: kind }: { as?: Kind }) => {
      const path = presetPath(slug, '/preview')
      const { data } = await createApiClient(env).request<{ data: { chat: object } }>(
        'POST',
        path,
        versionBody(file, kind),
      )
      out(JSON.stringify(data.chat, null, 2))
    })
}
