type TestEvent = { type: string; data: { file?: string } }

/** Prints only the file of each failing test. */
export default async function* failedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) if (type === 'test:fail') yield `${data.file ?? 'unknown'}\n`
}
