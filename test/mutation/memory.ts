import { hash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Coverage, Ran } from './coverage.ts'

/** What a run of a file of tests came by is the same as long as the file and all that it ran are. */
type Known = { of: string; ms: number; ran: Ran; files: Record<string, string> }
type Stored = { coverage: Record<string, Known>; killers: Record<string, string> }

/** What earlier runs found out, so that the next one takes minutes: it is tried again, but in the right order. */
export function openMemory(root: string, sources: Map<string, string>) {
  const path = join(tmpdir(), `signalbox-mutants-${digestOf(root).slice(0, 8)}.json`)
  const stored = read(path)
  const digests = new Map([...sources].map(([file, source]) => [file, digestOf(source)]))
  const ofTest = (test: string) => digestOf(readFileSync(join(root, test), 'utf8'))
  return {
    coverageOf(test: string): Pick<Coverage, 'ms' | 'ran'> | undefined {
      const known = stored.coverage[test]
      const same = known?.of === ofTest(test)
      return same && Object.entries(known.files).every(([file, was]) => digests.get(file) === was) ? known : undefined
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
