import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Sketch, writeQuantiles } from './sketch.ts'

/** A skewed, deterministic distribution of values like those of latencies. */
const values = Array.from({ length: 5000 }, (_, index) => 40 * Math.exp(3 * Math.abs(Math.sin(index * 12.9898))))
const sorted = values.toSorted((a, b) => a - b)

function sketchOf(some: number[]): Sketch {
  const sketch = new Sketch()
  for (const value of some) sketch.accept(value)
  return sketch
}

function assertClose(sketch: Sketch) {
  for (const share of [0, 0.5, 0.75, 0.9, 0.99, 1]) {
    const exact = sorted[Math.floor(share * (sorted.length - 1))]!
    const result = sketch.quantile(share)!
    assert.ok(Math.abs(result - exact) <= 0.0101 * exact, `${share}: ${result} for ${exact}`)
  }
}

test('every quantile is within 1 % of the exact one', () => assertClose(sketchOf(values)))

test('merged sketches equal one sketch of all values', () => {
  const merged = new Sketch()
  for (let from = 0; from < values.length; from += 7) merged.merge(sketchOf(values.slice(from, from + 7)))
  assert.equal(merged.toText(), sketchOf(values).toText())
  assertClose(merged)
})

test('concatenated texts equal one sketch of all values', () => {
  const all = [...values, 0.001, 0.5, 1e9]
  const texts: string[] = []
  for (let from = 0; from < all.length; from += 7) texts.push(sketchOf(all.slice(from, from + 7)).toText())
  for (let round = 0; round < 2; round++) {
    const sketch = Sketch.fromText(texts.join(' '))
    assert.deepEqual([sketch.toText(), sketch.count], [sketchOf(all).toText(), all.length])
  }
  assert.equal(Sketch.fromText('').count, 0)
})

test('texts have the quantiles of one sketch of all, and leave nothing behind', () => {
  const shares = [0, 0.5, 0.5, 0.75, 0.99, 1]
  const wide = Array.from({ length: 900 }, (_, at) => 0.001 * 1.03 ** at)
  const result = new Float64Array(shares.length + 2)
  for (const all of [[...values, 0.001, 1e9], [7], wide, Array.from({ length: 40 }, () => wide).flat()]) {
    const texts: string[] = []
    for (let from = 0; from < all.length; from += 900) texts.push(sketchOf(all.slice(from, from + 900)).toText())
    for (let round = 0; round < 2; round++) {
      writeQuantiles(texts.join(' '), shares, result, 1)
      const expected = shares.map((share) => sketchOf(all).quantile(share))
      assert.deepEqual([...result], [0, ...expected, 0], `${texts.join(' ').length} characters`)
    }
  }
  writeQuantiles('', shares, result, 1)
  assert.deepEqual([...result], [0, ...shares.map(() => Number.NaN), 0])
})

test('a sketch is restored from its text', () => {
  const sketch = sketchOf(values)
  const back = Sketch.fromText(sketch.toText())
  assert.deepEqual([back.toText(), back.count], [sketch.toText(), values.length])
  assert.equal(Sketch.fromText('').count, 0)
})

test('a sketch grows to either side, and takes another one in wherever that lies', () => {
  const near = sketchOf([100, 101, 99])
  near.accept(5)
  near.accept(20_000)
  const far = sketchOf([0.002, 1e8])
  for (const [into, other] of [
    [sketchOf([100, 101, 99, 5, 20_000]), far],
    [sketchOf([0.002, 1e8]), near],
    [new Sketch(), sketchOf([100, 101, 99, 5, 20_000, 0.002, 1e8])],
  ] as const) {
    into.merge(other)
    into.merge(new Sketch())
    assert.deepEqual([into.toText(), into.count], [sketchOf([0.002, 5, 99, 100, 101, 20_000, 1e8]).toText(), 7])
  }
  assert.equal(near.count, 5)
})

test('absurd values cost no memory and break nothing', () => {
  const sketch = sketchOf([0, -5, Number.MIN_VALUE, 1e300, Number.POSITIVE_INFINITY])
  assert.equal(sketch.count, 5)
  assert.ok(sketch.quantile(1)! < 1.02e9)
})

test('a text of the version before is read', () => {
  assert.equal(Sketch.fromText('-3:2 7:1 8:10 12:4').toText(), '-3:2 7:1,10 12:4')
})

test('an empty sketch has no quantile', () => assert.equal(new Sketch().quantile(0.5), undefined))
