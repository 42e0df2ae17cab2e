import { hash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Coverage, Ran } from './coverage.ts'

/** The coverage of a test file stays valid until the file or the code that it ran changes. */
type Known = { of: string; ms: number; ran: Ran; files: Record<string, string> }
type Stored = { coverage: Record<string, Known>; killers: Record<string, string> }

/** The results of earlier runs. The next run tries everything again, but in a faster order. */
export function openMemory(root: string, sources: Map<string, string>) {
  const path = join(tmpdir(), `signalbox-mutants-${digestOf(root).slice(0, 8)}.json`)
  const stored = read(path)
  const digests = new Map([...sources].map(([file, source]) => [file, digestOf(source)]))
  const ofTest = (test: string) => digestOf(readFileSync(join(root, test), 'utf8'))
  return {
    coverageOf(test: string): Pick<Coverage, 'ms' | 'ran'> | undefined {
      const coverage = stored.coverage[test]
      const same = coverage?.of === ofTest(test)
      return same && Object.entries(coverage.files).every(([file, was]) => digests.get(file) === was)
        ? coverage
        : undefined
    },
    keepCoverage({ test, ms, ran, passed }: Coverage): void {
      const files = Object.fromEntries(Object.keys(ran).map((file) => [file, digests.get(file)!]))
      if (passed) stored.coverage[test] = { of: ofTest(test), ms, ran, files }
    },
    killerOf: (mutant: string): string | undefined => stored.killers[mutant],
    keepKiller(mutant: string, test: string): void {
      stored.killers[mutant] = test
    },
    save(): void {
      writeFileSync(path, JSON.stringify(stored))
    },
  }
}

const digestOf = (text: string) => hash('sha256', text)

function read(path: string): Stored {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return { coverage: {}, killers: {} }
  }
}
