import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { chatClientProtocols } from '#gateway/clients/client-protocols.ts'
import { emptyPolicy as everyRule } from '#policy/guardrails/decide/policy.ts'
import { describePolicy } from '../../console/components/policy/policy-description.ts'
import { emptyPolicy } from '../../console/guardrails/policy.ts'
import { curlOf } from '../../console/requests/detail/curl.ts'
import { sampleGeneration } from '../harness/records/sample-generation.ts'

test('the console writes the curl command of a request with its path and body', () => {
  const wrong = chatClientProtocols.flatMap(({ protocol, operation }) => {
    const command = curlOf(sampleGeneration({ protocol }), 'http://x')
    const body = JSON.parse(/-d '(.*)'$/s.exec(command)![1]!)
    const isRight = command.includes(`/api/v1${operation.path} `) && operation.request.safeParse(body).success
    return isRight ? [] : [protocol]
  })
  assert.deepEqual(wrong, [])
})

/** A value for each rule that is a limit or a list. Others are switches. */
const values: Record<string, unknown> = {
  limit_usd: 5,
  group_limits: [{ by: 'session', tag_name: null, limit_usd: 1, reset_interval: null }],
  allowed_data_regions: ['europe'],
  allowed_models: ['a/b'],
  ignored_models: ['a/b'],
  allowed_providers: ['p'],
  ignored_providers: ['p'],
  content_filter_builtins: [{ slug: 'email', action: 'redact', label: '[EMAIL]' }],
  content_filters: [{ pattern: 'blue', action: 'block' }],
}
/** Rules that only modify `limit_usd`. */
const modifiers = ['reset_interval', 'include_byok_in_budgets']

test('the console describes every rule of a guardrail', () => {
  const silent = Object.keys(everyRule).filter((rule) => {
    const some = rule in values ? [values[rule]] : [true, false]
    const sentences = some.flatMap((value) => describePolicy({ ...emptyPolicy(''), [rule]: value }))
    return sentences.length === 0 && !modifiers.includes(rule)
  })
  assert.deepEqual(silent, [])
})

test('the editor of guardrails has a control for every rule', () => {
  const editor = [
    'editor.tsx',
    'filter-fields.tsx',
    'group-limits.tsx',
    'policy.ts',
    '../components/policy/data-rules.ts',
  ]
    .map((file) =>
      readFileSync(new URL(`../../console/guardrails/${file}`, import.meta.url), 'utf8').replace(
        /const emptyFields = \{[\s\S]*?\n\}/,
        '',
      ),
    )
    .join('\n')
  assert.deepEqual(
    Object.keys(everyRule).filter((rule) => !editor.includes(rule)),
    [],
  )
})
