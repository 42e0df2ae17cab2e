import { type ContentBlock, RequestError } from '@agentclientprotocol/sdk'

/** The text of a prompt; what is attached is put after the words or, as a link, in their place. */
export function promptText(blocks: ContentBlock[]): string {
  const texts = blocks.map((block) => {
    if (block.type === 'text') return block.text
    if (block.type === 'resource_link') return `[${block.name}](${block.uri})`
    if (block.type === 'resource' && 'text' in block.resource) return `${block.resource.uri}:\n${block.resource.text}`
    throw RequestError.invalidParams(undefined, `A prompt to an intern cannot hold ${block.type}: send text.`)
  })
  return texts.join('\n\n')
}
