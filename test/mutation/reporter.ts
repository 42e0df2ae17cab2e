type Told = { type: string; data: { file?: string } }

/** Says of each test that fails in which file it stands, and nothing else. */
export default async function* failedFiles(events: AsyncIterable<Told>): AsyncGenerator<string> {
  for await (const { type, data } of events) if (type === 'test:fail') yield `${data.file ?? 'unknown'}\n`
}
