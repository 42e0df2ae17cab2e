import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startTestService, type TestService } from '#test/harness/service/service.ts'

type Row = { field: string; stored: boolean; accepted: unknown[]; refused: [value: unknown, path?: string][] }

const stored = (field: string, accepted: unknown[], refused: Row['refused']): Row => ({
  field,
  stored: true,
  accepted,
  refused,
})
const dropped = (field: string, accepted: unknown[], refused: Row['refused']): Row => ({
  field,
  stored: false,
  accepted,
  refused,
})
const of = (length: number, character = 'x') => character.repeat(length)
const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`key${n}`, 'value']))
const tool = { type: 'function', name: 'look_up', description: 'Looks up.', parameters: { type: 'object' } }

/** One row for each rule of the specification's table for the body. */
const table: Row[] = [
  dropped(
    'input',
    ['', 'text', [], [{ type: 'message', role: 'user', content: 'Hi' }]],
    [[null], [1], [{}], [['text']]],
  ),
  stored('model', ['author/model', ''], [[null], [1], [['author/model']]]),
  stored('models', [[], ['a/b', 'c/d']], [[null], ['a/b'], [[1], 'models[0]']]),
  dropped('background', [true, false, null], [['true'], [1]]),
  stored(
    'cache_control',
    [{ type: 'ephemeral' }, { type: 'ephemeral', ttl: '1h', more: 1 }],
    [[null], ['ephemeral'], [{}, 'cache_control.type'], [{ type: 1 }, 'cache_control.type']],
  ),
  dropped(
    'debug',
    [{}, { echo_upstream_body: true, more: 1 }],
    [[null], [true], [{ echo_upstream_body: 'yes' }, 'debug.echo_upstream_body']],
  ),
  stored('frequency_penalty', [0.5, -2, 0, null], [['0.5'], [true]]),
  stored('presence_penalty', [0.5, -2, 0, null], [['0.5'], [[]]]),
  stored('temperature', [0, 0.7, 2, null], [['0.7'], [{}]]),
  stored('top_p', [0, 1, 0.95, null], [['1'], [false]]),
  stored('image_config', [{}, { aspect_ratio: '16:9', n: 2, list: [1] }], [[null], ['16:9'], [[]]]),
  dropped(
    'include',
    [
      ['file_search_call.results', 'message.input_image.image_url', 'computer_call_output.output.image_url'],
      ['reasoning.encrypted_content', 'code_interpreter_call.outputs'],
      [],
      null,
    ],
    [['reasoning.encrypted_content'], [['everything'], 'include[0]']],
  ),
  stored('max_output_tokens', [1, 100_000, null], [[1.5], ['1']]),
  stored('max_tool_calls', [0, 5, null], [[0.5], ['5']]),
  stored('top_logprobs', [0, 20, null], [[2.5], [true]]),
  stored('top_k', [1, 40], [[null], [1.5], ['40']]),
  dropped(
    'metadata',
    [
      {},
      null,
      pairs(16),
      { [of(64)]: 'value' },
      { [of(64, '😀')]: 'value' },
      { key: '' },
      { key: of(512) },
      { key: of(512, '😀') },
    ],
    [
      ['text'],
      [['key']],
      [pairs(17)],
      [{ [of(65)]: 'value' }],
      [{ [of(65, '😀')]: 'value' }],
      [{ 'a[b': 'value' }],
      [{ 'a]b': 'value' }],
      [{ key: of(513) }, 'metadata.key'],
      [{ key: of(513, '😀') }, 'metadata.key'],
      [{ key: 1 }, 'metadata.key'],
      [{ key: null }, 'metadata.key'],
    ],
  ),
  stored('modalities', [[], ['text'], ['text', 'image']], [[null], ['text'], [['audio'], 'modalities[0]']]),
  stored('parallel_tool_calls', [true, false, null], [['true'], [0]]),
  stored(
    'plugins',
    [[], [{ id: 'web' }, { id: 'web', max_results: 3 }]],
    [[null], [['web'], 'plugins[0]'], [[{}], 'plugins[0].id']],
  ),
  dropped('previous_response_id', ['resp_1', null], [[1], [{}]]),
  dropped('prompt_cache_key', ['key', null], [[1]]),
  dropped('safety_identifier', ['someone', null], [[1]]),
  dropped(
    'prompt',
    [{ id: 'pmpt_1', variables: { city: 'Rome' } }, {}, null],
    [['pmpt_1'], [{ id: 1 }, 'prompt.id'], [{ id: 'p', variables: 'x' }, 'prompt.variables']],
  ),
  stored(
    'prompt_cache_options',
    [{ mode: 'explicit', ttl: '30m' }, {}, null],
    [['explicit'], [{ mode: 1 }, 'prompt_cache_options.mode'], [{ ttl: 1 }, 'prompt_cache_options.ttl']],
  ),
  stored(
    'provider',
    [
      { allow_fallbacks: false },
      { order: ['a'], only: ['b'], ignore: [], require_parameters: true, data_collection: 'deny', zdr: true, more: 1 },
      { sort: 'price', max_price: { prompt: 1, completion: '2.5' }, quantizations: ['fp8'] },
      { sort: { by: 'latency', partition: 'none' }, preferred_min_throughput: 50, preferred_max_latency: { p90: 2 } },
      null,
    ],
    [
      ['a'],
      [{ allow_fallbacks: 'no' }, 'provider.allow_fallbacks'],
      [{ order: 'a' }, 'provider.order'],
      [{ sort: 'best' }, 'provider.sort'],
      [{ data_collection: 'maybe' }, 'provider.data_collection'],
      [{ max_price: { prompt: -1 } }, 'provider.max_price.prompt'],
    ],
  ),
  stored(
    'reasoning',
    [{ effort: 'high', summary: 'auto', enabled: true, more: 1 }, { effort: null }, null],
    [
      ['high'],
      [{ effort: 1 }, 'reasoning.effort'],
      [{ summary: 1 }, 'reasoning.summary'],
      [{ enabled: 'yes' }, 'reasoning.enabled'],
    ],
  ),
  stored('route', ['fallback', 'sort', null], [['model'], [1]]),
  stored('service_tier', ['default', 'flex', 'priority', 'scale', null], [['fast'], [1]]),
  dropped('service_tier', ['auto'], [['AUTO']]),
  dropped('session_id', ['', of(256), of(256, '😀')], [[null], [1], [of(257)], [of(257, '😀')]]),
  stored(
    'stop_server_tools_when',
    [
      [{ type: 'step_count_is', step_count: 3 }],
      [
        { type: 'max_cost', max_cost_in_dollars: 0.5 },
        { type: 'something_new', more: 1 },
      ],
    ],
    [
      [null],
      [[]],
      [{ type: 'max_cost', max_cost_in_dollars: 1 }],
      [[{}], 'stop_server_tools_when[0].type'],
      [[{ type: 'step_count_is' }], 'stop_server_tools_when[0].step_count'],
      [[{ type: 'step_count_is', step_count: 1.5 }], 'stop_server_tools_when[0].step_count'],
      [[{ type: 'max_cost', max_cost_in_dollars: '1' }], 'stop_server_tools_when[0].max_cost_in_dollars'],
    ],
  ),
  dropped('store', [true, false], [[null], ['false']]),
  dropped('stream', [true, false], [[null], [1]]),
  stored(
    'text',
    [{}, { format: { type: 'json_object' }, verbosity: 'low', more: 1 }, { verbosity: null }],
    [[null], ['json'], [{ format: 'json' }, 'text.format'], [{ verbosity: 1 }, 'text.verbosity']],
  ),
  stored('tool_choice', ['auto'], [[null], ['none'], ['required'], [{ type: 'function', name: 'look_up' }]]),
  stored(
    'tools',
    [[], [tool], [{ type: 'function', name: 'f', parameters: null, strict: true, more: 1 }]],
    [
      [null],
      [tool],
      [[{ ...tool, type: 'web_search' }], 'tools[0].type'],
      [[{ type: 'function' }], 'tools[0].name'],
      [[{ ...tool, description: 1 }], 'tools[0].description'],
      [[tool, { ...tool, parameters: 'none' }], 'tools[1].parameters'],
    ],
  ),
  dropped(
    'trace',
    [{}, { trace_id: 't', trace_name: 'n', span_name: 's', generation_name: 'g', mine: { a: 1 } }],
    [[null], ['t'], [{ trace_id: 1 }, 'trace.trace_id'], [{ parent_span_id: 1 }, 'trace.parent_span_id']],
  ),
  stored('truncation', ['auto', 'disabled', null], [['none'], [false]]),
  dropped('user', ['', of(256), of(256, '😀')], [[null], [1], [of(257)], [of(257, '😀')]]),
  dropped('something_unknown', [1, null, { a: [] }], []),
]

describe('a responses-style body, field by field', () => {
  let service: TestService
  before(async () => {
    service = await startTestService()
  })
  after(() => service[Symbol.asyncDispose]())
  const save = (body: unknown) => service.manage('POST', '/presets/table/responses', body)

  for (const { field, stored, accepted, refused } of table) {
    test(`${field} ${stored ? 'is stored unchanged' : 'is validated and dropped'}`, async () => {
      for (const value of accepted) {
        const { status, body, text } = await save({ [field]: value })
        assert.equal(status, 200, text)
        assert.deepEqual(body.data.designated_version.config, stored ? { [field]: value } : {})
      }
      for (const [value, path = field] of refused) {
        const { status, body } = await save({ [field]: value })
        assert.equal(status, 400, `${field} = ${JSON.stringify(value).slice(0, 80)} was accepted`)
        assert.equal(body.error.message.split(': ')[1], path, body.error.message)
      }
    })
  }

  test('instructions become the system prompt, null without any', async () => {
    for (const [body, expected] of [
      [{ instructions: 'Be brief.' }, 'Be brief.'],
      [{ instructions: 'Half a pair \ud800 stays' }, 'Half a pair \ud800 stays'],
      [{ instructions: null }, null],
      [{}, null],
    ] as const) {
      assert.equal((await save(body)).body.data.designated_version.system_prompt, expected)
    }
    assert.match((await save({ instructions: ['Be brief.'] })).body.error.message, /: instructions: /)
    assert.equal((await save({ instructions: 'NUL \0' })).status, 400)
  })

  test('a body that is not an object is refused', async () => {
    for (const body of [[], 'text', 1, null]) assert.equal((await save(body)).status, 400)
    assert.equal((await save(undefined)).status, 400)
  })
})
