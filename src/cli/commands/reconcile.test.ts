import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openDb } from '#platform/db/open.ts'
import { writeGenerations } from '#spend/metering/write.ts'
import { at, generation } from '#test/harness/records/generations.ts'
import { startTestService } from '#test/harness/service/service.ts'
import { runCli } from '../cli.ts'
import { comparableModel, readExport } from './reconcile/exports.ts'

const day = new Date(at).toISOString().slice(0, 10)
const openAiUsage = `start_time,end_time,start_time_iso,end_time_iso,project_id,num_model_requests,user_id,api_key_id,model,batch,service_tier,input_tokens,output_tokens,input_cached_tokens
${at / 1000},,${day}T00:00:00+00:00,,proj_1,2,,,gpt-5-mini-2025-08-07,False,default,20,11,0
${at / 1000},,${day}T00:00:00+00:00,,proj_1,1,,,gpt-5-mini-2025-08-07,False,flex,10,5,0
${at / 1000},,${day}T00:00:00+00:00,,,,,,,,,,,
`
const openAiCost = `start_time,end_time,start_time_iso,end_time_iso,amount_value,amount_currency,line_item,project_id
${at / 1000},,${day}T00:00:00+00:00,,0.125,usd,"gpt-5-mini-2025-08-07, input",
${at / 1000},,${day}T00:00:00+00:00,,0.25,usd,"gpt-5-mini-2025-08-07, output",
`
const anthropicUsage = `usage_date_utc,model_version,api_key,workspace,usage_type,context_window,usage_input_tokens_no_cache,usage_input_tokens_cache_write_5m,usage_input_tokens_cache_write_1h,usage_input_tokens_cache_read,usage_output_tokens,web_search_count,inference_geo,speed
${day},claude-sonnet-4-20250514,key,Default,standard,≤ 200k,1,2,3,4,5,0,,
`
const anthropicCost = `usage_date_utc,model,workspace,api_key,usage_type,context_window,token_type,cost_usd,list_price_usd
${day},Claude Haiku 4.5,Default,key,message,≤ 200k,input_no_cache,0.05,0.05
`

test('reads the usage and cost exports of OpenAI and Anthropic', () => {
  assert.deepEqual(
    readExport('openai', openAiUsage).map(({ model, requests, input_tokens, output_tokens }) => [
      ...[model, requests, input_tokens, output_tokens],
    ]),
    [
      ['gpt-5-mini-2025-08-07', 2, 20, 11],
      ['gpt-5-mini-2025-08-07', 1, 10, 5],
    ],
  )
  assert.deepEqual(
    readExport('openai', openAiCost).map(({ model, cost_usd }) => [model, cost_usd]),
    [
      ['gpt-5-mini-2025-08-07', 0.125],
      ['gpt-5-mini-2025-08-07', 0.25],
    ],
  )
  const [usage] = readExport('anthropic', anthropicUsage)
  assert.deepEqual(
    [usage?.day, usage?.model, usage?.input_tokens, usage?.output_tokens],
    [day, 'claude-sonnet-4-20250514', 10, 5],
  )
  assert.deepEqual(readExport('anthropic', anthropicCost), [{ day, model: 'Claude Haiku 4.5', cost_usd: 0.05 }])
  assert.throws(() => readExport('openai', 'a,b\n1,2\n'), /Expected the columns start_time, model/)
})

test('names of models match without author, date and spelling', () => {
  const pairs = [
    ['openai/gpt-5-mini', 'gpt-5-mini-2025-08-07'],
    ['anthropic/claude-haiku-4.5', 'Claude Haiku 4.5'],
    ['anthropic/claude-sonnet-4', 'claude-sonnet-4-20250514'],
  ]
  for (const [own, other] of pairs) assert.equal(comparableModel(own!), comparableModel(other!))
})

test('reconcile prints where the ledger and the export of a provider differ', async () => {
  await using service = await startTestService()
  const { data } = (await service.manage('GET', '/key')).body
  const caller = { ...generation().caller, organizationId: data.organization_id, workspaceId: data.workspace_id }
  const more = { caller, modelId: 'openai/gpt-5-mini', endpointId: 'openai/gpt-5-mini@openai', provider: 'openai' }
  const db = await openDb(service.testStore.settings)
  await writeGenerations({ db }, [generation(more), generation(more)])
  await db.close()
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-reconcile-'))
  const file = join(folder, 'usage.csv')
  writeFileSync(file, openAiUsage)
  const out: string[] = []
  const env = { SIGNALBOX_URL: service.url, SIGNALBOX_KEY: service.managementKey }
  const code = await runCli(['reconcile', '--provider', 'openai', '--file', file], {
    env,
    out: (text) => void out.push(text),
    err: assert.fail,
  })
  rmSync(folder, { recursive: true })
  assert.equal(code, 0)
  assert.match(out[0]!, new RegExp(`^${day} +gpt-5-mini +requests +2 +3 +-1$`, 'm'))
  assert.match(out[0]!, new RegExp(`^${day} +gpt-5-mini +input_tokens +20 +30 +-10$`, 'm'))
  assert.match(out[0]!, /^0 of 3 sums are equal\.$/m)
})

test('a missing export is an error without a system call', async () => {
  const printed: string[] = []
  const print = (text: string) => void printed.push(text)
  const args = ['reconcile', '--provider', 'openai', '--file', '/nowhere.csv']
  assert.equal(await runCli(args, { env: {}, out: print, err: print }), 1)
  assert.deepEqual(printed, ['/nowhere.csv cannot be read: it does not exist.'])
})
