import type { Command } from 'commander'
import type { Guardrail } from '#policy/guardrails/guardrail.ts'
import { apiClient, clientHelp } from '../../kit/api-client.ts'
import type { Terminal } from '../../kit/terminal.ts'
import { guardrailId, rulesFrom, whichGuardrail } from './find.ts'
import { guardrailListing } from './list.ts'

type Answer = { data: Guardrail }
type Options = { file?: string; json?: boolean }

const fieldsHelp = `
A rule is name=value, as in the API: limit_usd=50 reset_interval=monthly allowed_models=openai/gpt-5,google/gemini-3
enforce_zdr=true. null takes one away; a list is replaced whole; lists and objects may be JSON.`

export function changeCommands(guardrails: Command, { env, out }: Terminal): void {
  const told = ({ data }: Answer, json: boolean | undefined) =>
    out(json ? JSON.stringify(data, null, 2) : guardrailListing(data))

  guardrails
    .command('set')
    .description('change rules of a guardrail: those that are named, and no others')
    .argument('<guardrail>', whichGuardrail)
    .argument('[rules...]', 'such as limit_usd=50')
    .option('--file <path>', 'rules from a JSON file')
    .option('--json', 'print the guardrail as JSON')
    .addHelpText('after', fieldsHelp + clientHelp)
    .action(async (wanted: string, words: string[], { file, json }: Options) => {
      const rules = rulesFrom(words, file)
      const client = apiClient(env)
      told(await client.ask<Answer>('PATCH', `/guardrails/${await guardrailId(client, wanted)}`, rules), json)
    })

  guardrails
    .command('create')
    .description('make a guardrail; it governs nobody until it is assigned')
    .argument('<name>', 'its name')
    .argument('[rules...]', 'such as limit_usd=50')
    .option('--workspace <slug>', 'whose it is (default: that of your key)')
    .option('--file <path>', 'rules from a JSON file')
    .option('--json', 'print the guardrail as JSON')
    .addHelpText('after', fieldsHelp + clientHelp)
    .action(async (name: string, words: string[], { workspace, file, json }: Options & { workspace?: string }) => {
      const rules = words.length > 0 || file !== undefined ? rulesFrom(words, file) : {}
      const body = { ...rules, name, ...(workspace !== undefined && { workspace_id: workspace }) }
      told(await apiClient(env).ask<Answer>('POST', '/guardrails', body), json)
    })

  guardrails
    .command('delete')
    .description('delete a guardrail; whom it governed is no longer governed by it')
    .argument('<guardrail>', whichGuardrail)
    .addHelpText('after', clientHelp)
    .action(async (wanted: string) => {
      const client = apiClient(env)
      await client.ask('DELETE', `/guardrails/${await guardrailId(client, wanted)}`)
      out(`"${wanted}" is deleted.`)
    })
}
