import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Field, parseAnswer } from './answer-form.ts'

const field = (name: string, type: string, more: Partial<Field> = {}): Field => ({
  name,
  type,
  required: false,
  ...more,
})

function filled(values: [string, string][]): FormData {
  const data = new FormData()
  for (const [name, value] of values) data.append(name, value)
  return data
}

test('parseAnswer converts fields to their types and omits empty ones', () => {
  const fields = [
    field('city', 'string'),
    field('count', 'integer'),
    field('really', 'boolean'),
    field('tags', 'array'),
    field('days', 'array', { options: ['mon', 'tue', 'wed'] }),
    field('note', 'string'),
  ]
  const data = filled([
    ['city', 'Gdańsk'],
    ['count', '3'],
    ['really', 'no'],
    ['tags', 'a, b,'],
    ['days', 'mon'],
    ['days', 'wed'],
    ['note', ''],
  ])
  assert.deepEqual(parseAnswer(fields, data), {
    city: 'Gdańsk',
    count: 3,
    really: false,
    tags: ['a', 'b'],
    days: ['mon', 'wed'],
  })
})

test('parseAnswer throws for an empty required list', () => {
  const days = field('days', 'array', { required: true, options: ['mon'] })
  assert.throws(() => parseAnswer([days], filled([])), /days/)
})
