import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startTestService, type TestService } from '#test/harness/service/service.ts'

/**
 * A value that must be accepted, with the stored value if it differs; or a value that must be refused, with the reason.
 */
type Row = [field: string, value: unknown, outcome: 'kept' | { stored: unknown } | RegExp]

const chars = (count: number) => 'x'.repeat(count)
const demo = 'signalbox/demo'
const canonicalDemo = 'signalbox/demo-2026-11-01'
const filter = (over: object) => [{ pattern: 'x', action: 'block', ...over }]
const builtin = (over: object) => [{ slug: 'email', action: 'redact', ...over }]

const labels = {
  email: '[EMAIL]',
  phone: '[PHONE]',
  ssn: '[SSN]',
  'credit-card': '[CREDIT_CARD]',
  'ip-address': '[IP_ADDRESS]',
  secrets: '[SECRET]',
  'person-name': '[PERSON_NAME]',
  address: '[ADDRESS]',
}

const rows: Row[] = [
  ['name', '', /^name: must not be empty/],
  ['name', 'x', 'kept'],
  ['name', chars(200), 'kept'],
  ['name', '😀'.repeat(200), 'kept'],
  ['name', chars(201), /^name: must have at most 200 characters/],
  ['name', null, /^name: expected string, received null/],
  ['name', 7, /^name: expected string, received number/],
  ['name', 'a\0b', /^name: must not contain the NUL character/],
  ['description', '', 'kept'],
  ['description', chars(1000), 'kept'],
  ['description', chars(1001), /^description: must have at most 1000 characters/],
  ['description', null, 'kept'],
  ['description', '\ud800', /^description: must not contain half of a surrogate pair/],
  ['limit_usd', 0, /^limit_usd: must be greater than 0/],
  ['limit_usd', -1, /^limit_usd: must be greater than 0/],
  ['limit_usd', 0.000001, 'kept'],
  ['limit_usd', 1e12, 'kept'],
  ['limit_usd', '5', /^limit_usd: expected number, received string/],
  ['reset_interval', 'daily', 'kept'],
  ['reset_interval', 'weekly', 'kept'],
  ['reset_interval', 'monthly', 'kept'],
  ['reset_interval', 'yearly', /^reset_interval: .*"daily", "weekly", "monthly"/],
  ['reset_interval', null, 'kept'],
  ['limit_usd', null, 'kept'],
  ['reset_interval', 'daily', /^reset_interval: needs a limit_usd/],
  ['include_byok_in_budgets', true, 'kept'],
  ['include_byok_in_budgets', false, 'kept'],
  ['include_byok_in_budgets', null, /^include_byok_in_budgets: expected boolean, received null/],
  ['allowed_data_regions', [], /^allowed_data_regions: must have at least 1 item/],
  ['allowed_data_regions', ['us'], 'kept'],
  ['allowed_data_regions', ['global', 'europe', 'us'], 'kept'],
  ['allowed_data_regions', ['us', 'us'], /^allowed_data_regions\[1]: repeats item 0/],
  ['allowed_data_regions', ['eu'], /^allowed_data_regions\[0]: .*"global", "europe", "us"/],
  ['allowed_data_regions', 'us', /^allowed_data_regions: expected array, received string/],
  ['allowed_data_regions', null, 'kept'],
  ...['allowed_models', 'ignored_models'].flatMap((field): Row[] => [
    [field, [], new RegExp(`^${field}: must have at least 1 item`)],
    [field, [demo], { stored: [canonicalDemo] }],
    [field, [canonicalDemo], 'kept'],
    [field, [demo, canonicalDemo], new RegExp(`^${field}\\[1]: is the same model as item 0`)],
    [
      field,
      [demo, 'nobody/nothing'],
      new RegExp(
        `^${field}\\[1]: the catalogue does not contain the model "nobody/nothing" \\(GET /models lists all\\)`,
      ),
    ],
    [field, [''], new RegExp(`^${field}\\[0]: must not be empty`)],
    [field, null, 'kept'],
  ]),
  ...['allowed_providers', 'ignored_providers'].flatMap((field): Row[] => [
    [field, [], new RegExp(`^${field}: must have at least 1 item`)],
    [field, ['anthropic', 'openai'], 'kept'],
    [field, ['Anthropic'], { stored: ['anthropic'] }],
    [field, ['Anthropic', 'anthropic'], new RegExp(`^${field}\\[1]: is the same provider as item 0`)],
    [field, ['nobody'], new RegExp(`^${field}\\[0]: the catalogue does not contain the provider "nobody"`)],
    [field, [1], new RegExp(`^${field}\\[0]: expected string, received number`)],
    [field, null, 'kept'],
  ]),
  ['content_filter_builtins', [], /^content_filter_builtins: must have at least 1 item/],
  ...Object.entries(labels).map(
    ([slug, label]): Row => ['content_filter_builtins', builtin({ slug }), { stored: builtin({ slug, label }) }],
  ),
  ['content_filter_builtins', builtin({ action: 'block' }), { stored: builtin({ action: 'block', label: '[EMAIL]' }) }],
  ['content_filter_builtins', builtin({ action: 'flag' }), { stored: builtin({ action: 'flag', label: '[EMAIL]' }) }],
  ['content_filter_builtins', builtin({ action: 'drop' }), /^content_filter_builtins\[0].action: .*"block", "redact"/],
  ['content_filter_builtins', builtin({ slug: 'iban' }), /^content_filter_builtins\[0].slug: .*"email", "phone"/],
  ['content_filter_builtins', [{ slug: 'email' }], /^content_filter_builtins\[0].action: /],
  ['content_filter_builtins', builtin({ label: 'mine' }), { stored: builtin({ label: '[EMAIL]' }) }],
  ['content_filter_builtins', builtin({ scan_scope: 'user_only' }), /\[0].scan_scope: only regex-prompt-injection/],
  [
    'content_filter_builtins',
    [...builtin({}), ...builtin({ action: 'block' })],
    /^content_filter_builtins\[1]: repeats/,
  ],
  [
    'content_filter_builtins',
    builtin({ slug: 'regex-prompt-injection' }),
    {
      stored: builtin({ slug: 'regex-prompt-injection', label: '[PROMPT_INJECTION]', scan_scope: 'all_messages' }),
    },
  ],
  [
    'content_filter_builtins',
    builtin({ slug: 'regex-prompt-injection', scan_scope: 'user_only' }),
    { stored: builtin({ slug: 'regex-prompt-injection', label: '[PROMPT_INJECTION]', scan_scope: 'user_only' }) },
  ],
  ['content_filter_builtins', builtin({ slug: 'regex-prompt-injection', scan_scope: 'all' }), /\[0].scan_scope: /],
  ['content_filter_builtins', null, 'kept'],
  ['content_filters', [], /^content_filters: must have at least 1 item/],
  ['content_filters', filter({ pattern: '' }), /^content_filters\[0].pattern: must not be empty/],
  ['content_filters', filter({ pattern: 'x' }), 'kept'],
  ['content_filters', filter({ pattern: chars(10_000) }), 'kept'],
  ['content_filters', filter({ pattern: chars(10_001) }), /^content_filters\[0].pattern: must have at most 10000 char/],
  ['content_filters', filter({ pattern: '(?i)\\bsecret\\b' }), 'kept'],
  ['content_filters', filter({ pattern: 'a(?=b)' }), /^content_filters\[0].pattern: look-around/],
  ['content_filters', filter({ pattern: '(a)\\1' }), /^content_filters\[0].pattern: back-references/],
  ['content_filters', filter({ pattern: '(a' }), /^content_filters\[0].pattern: .*missing closing \)/],
  ['content_filters', filter({ pattern: '(a{1000}){1000}' }), /^content_filters\[0].pattern: is too large/],
  ['content_filters', filter({ action: 'redact', label: chars(100) }), 'kept'],
  ['content_filters', filter({ action: 'flag', label: null }), 'kept'],
  ['content_filters', filter({ label: chars(101) }), /^content_filters\[0].label: must have at most 100 characters/],
  ['content_filters', filter({ action: 'report' }), /^content_filters\[0].action: /],
  ['content_filters', [...filter({}), ...filter({ action: 'flag' })], /^content_filters\[1]: repeats item 0/],
  ['content_filters', null, 'kept'],
  ...[
    'enable_free_model_publication',
    'enable_free_model_training',
    'enable_paid_model_training',
    'enforce_zdr',
    'enforce_zdr_vendor_a',
    'enforce_zdr_vendor_b',
    'enforce_zdr_vendor_c',
    'enforce_zdr_vendor_d',
    'enforce_zdr_other',
    'enforce_zdr_anthropic',
    'enforce_zdr_google',
    'enforce_zdr_openai',
    'enforce_zdr_xai',
  ].flatMap((field): Row[] => [
    [field, true, 'kept'],
    [field, false, 'kept'],
    [field, null, 'kept'],
    [field, 'yes', new RegExp(`^${field}: expected boolean`)],
  ]),
  ['a_field_of_tomorrow', { any: 'thing' }, /^unknown field "a_field_of_tomorrow"; it takes name/],
]

describe('each rule of a guardrail', () => {
  let service: TestService
  let path: string
  before(async () => {
    service = await startTestService()
    path = `/guardrails/${(await service.manage('POST', '/guardrails', { name: 'Rules' })).body.data.id}`
    await service.manage('PATCH', path, { limit_usd: 1 })
  })
  after(() => service[Symbol.asyncDispose]())

  for (const [field, value, outcome] of rows) {
    const label = JSON.stringify(value)
    const title = `${field} ${label.length > 60 ? `${label.slice(0, 60)}… (${label.length})` : label}`
    if (outcome instanceof RegExp) {
      test(`${title} is refused`, async () => {
        const before = (await service.manage('GET', path)).body
        const { status, body } = await service.manage('PATCH', path, { [field]: value })
        assert.equal(status, 400)
        assert.equal(body.error.code, 400)
        assert.match(body.error.message.replace(/^Invalid request: /, ''), outcome)
        assert.deepEqual((await service.manage('GET', path)).body, before)
      })
    } else {
      test(`${title} is taken`, async () => {
        const { status, body } = await service.manage('PATCH', path, { [field]: value })
        assert.equal(status, 200, JSON.stringify(body))
        assert.deepEqual(body.data[field], outcome === 'kept' ? value : outcome.stored)
        assert.deepEqual((await service.manage('GET', path)).body, body)
      })
    }
  }
})
