/** A fenced block of a page. `mark`: what an HTML comment right above it says of it, such as `not run: it never ends`. */
type Block = { language: string; text: string; line: number; mark: string | undefined }

/** A block with the answer that is expected of it, if one follows. */
export type Example = Block & { response: string | undefined }

/** The blocks of a page in order, also those within lists. An answer belongs to the block before it. */
export function examplesIn(markdown: string): Example[] {
  const blocks = blocksIn(markdown)
  const isResponseOf = (block: Block | undefined, before: Block | undefined) =>
    block?.language === 'json' && block.mark === undefined && before?.language === 'sh'
  return blocks.flatMap((block, i) => {
    if (isResponseOf(block, blocks[i - 1])) return []
    const next = blocks[i + 1]
    return [{ ...block, response: isResponseOf(next, block) ? next?.text : undefined }]
  })
}

const fenced = /(?:^ *<!-- (.*?) -->\n)?^( *)```(\w*)\n(.*?)^ *```$/gms

export function blocksIn(markdown: string): Block[] {
  return [...markdown.matchAll(fenced)].map((match) => {
    const [whole, mark, indent = '', language = '', text = ''] = match
    const line = markdown.slice(0, match.index + whole.indexOf('```')).split('\n').length
    return { mark, language, text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''), line }
  })
}
