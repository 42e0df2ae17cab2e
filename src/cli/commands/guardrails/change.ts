import type { Command } from 'commander'
import type { Guardrail } from '#policy/guardrails/guardrail.ts'
import { createApiClient, managementKeyHelp } from '../../kit/api-client.ts'
import { findGuardrailId, guardrailHelp } from '../../kit/find.ts'
import type { Terminal } from '../../kit/terminal.ts'
import { formatGuardrail } from './read.ts'
import { readPolicyInput } from './rules.ts'

type GuardrailResponse = { data: Guardrail }
type Options = { file?: string; json?: boolean }

const fieldsHelp = `
Rules are written as name=value, with the field names of the API. name=null
removes a rule. Separate the items of a list with commas; a list replaces the
previous one. Lists and objects can also be JSON.
  limit_usd=50 reset_interval=monthly enforce_zdr=true
  allowed_models=openai/gpt-5,google/gemini-3
`

export function changeCommands(guardrails: Command, { env, out }: Terminal): void {
  const print = ({ data }: GuardrailResponse, json: boolean | undefined) =>
    out(json ? JSON.stringify(data, null, 2) : formatGuardrail(data))

  guardrails
    .command('set')
    .description('Change rules of a guardrail. Other rules stay unchanged')
    .argument('<guardrail>', guardrailHelp)
    .argument('[rules...]', 'Rules such as limit_usd=50')
    .option('--file <path>', 'Read rules from a JSON file')
    .option('--json', 'Print JSON')
    .addHelpText('after', fieldsHelp + managementKeyHelp)
    .action(async (guardrail: string, args: string[], { file, json }: Options) => {
      const rules = readPolicyInput(args, file)
      const client = createApiClient(env)
      print(
        await client.request<GuardrailResponse>(
          'PATCH',
          `/guardrails/${await findGuardrailId(client, guardrail)}`,
          rules,
        ),
        json,
      )
    })

  guardrails
    .command('create')
    .description('Create a guardrail. It takes effect when it is assigned to a key or member')
    .argument('<name>', 'Name of the guardrail')
    .argument('[rules...]', 'Rules such as limit_usd=50')
    .option('--workspace <slug>', 'Workspace (default: the workspace of your key)')
    .option('--file <path>', 'Read rules from a JSON file')
    .option('--json', 'Print JSON')
    .addHelpText('after', fieldsHelp + managementKeyHelp)
    .action(async (name: string, args: string[], { workspace, file, json }: Options & { workspace?: string }) => {
      const rules = args.length > 0 || file !== undefined ? readPolicyInput(args, file) : {}
      const body = { ...rules, name, ...(workspace !== undefined && { workspace_id: workspace }) }
      print(await createApiClient(env).request<GuardrailResponse>('POST', '/guardrails', body), json)
    })
}
