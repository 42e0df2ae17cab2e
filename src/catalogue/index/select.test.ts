import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { catalogue, figures, nowMs, question } from '#test/harness/records/random-catalogues.ts'
import { referenceList } from '#test/harness/records/reference-models.ts'
import { findModels, serializeList } from '../list/model-list.ts'
import { ModelFilter, ModelQuery } from '../list/model-query.ts'
import { compileSnapshot, type Snapshot } from './snapshot.ts'

function answer(snapshot: Snapshot, parameters: Record<string, string>) {
  const url = `/models?${new URLSearchParams(parameters)}`
  const found = findModels(snapshot, ModelQuery.parse(parameters), { nowMs, url })
  const { data, total_count, links } = JSON.parse(serializeList(snapshot, found).toString())
  return { ids: data.map((item: { id: string }) => item.id), total_count, hasNext: links.next !== null }
}

test('every list equals the rules for any catalogue, query and measurements', () => {
  const property = fc.property(
    catalogue,
    fc.array(question, { minLength: 1, maxLength: 20, size: 'max' }),
    figures,
    figures,
    (data, questions, before, after) => {
      const first = compileSnapshot(data, before)
      const second = first.withFigures(after)
      for (const parameters of questions) {
        assert.deepEqual(answer(first, parameters), referenceList(data.models, before, parameters, nowMs))
        assert.deepEqual(answer(second, parameters), referenceList(data.models, after, parameters, nowMs))
      }
    },
  )
  fc.assert(property, { numRuns: 150 })
})

test('every filter excludes a model of some catalogue', () => {
  const snapshots = fc
    .sample(fc.tuple(catalogue, figures), 60)
    .map(([data, measured]) => compileSnapshot(data, measured))
  const total = (snapshot: Snapshot, parameters: Record<string, string>) => answer(snapshot, parameters).total_count
  const values = Map.groupBy(fc.sample(question, 3000).flatMap(Object.entries), ([name]) => name)
  const ineffective = Object.keys(ModelFilter.shape).filter((name) => {
    const some = [...new Set((values.get(name) ?? []).map(([, value]) => value))].slice(0, 10)
    // All modalities of responses, because the default excludes models too.
    const all: Record<string, string> = name === 'output_modalities' ? {} : { output_modalities: 'all' }
    return !snapshots.some((one) => some.some((value) => total(one, { ...all, [name]: value }) !== total(one, all)))
  })
  assert.deepEqual(ineffective, [])
})
