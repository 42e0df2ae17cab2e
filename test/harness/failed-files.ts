import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'

/** The last line of a run that came to its end: one that died may have failed in more than it told. */
export const ended = 'ended'

/** A reporter for the test command: the files whose tests failed, a line for each test. */
export default async function* failedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type === 'test:fail') {
      const { entryFile, file, name } = data as typeof data & { entryFile?: string }
      yield `${relative(process.cwd(), entryFile ?? file ?? name)}\n`
    }
    if (type === 'test:summary' && data.file === undefined) yield `${ended}\n`
  }
}
