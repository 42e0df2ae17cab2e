const absentOperation = (action: string) =>
  `This service does not ${action}: models answer chats (/chat/completions), responses (/responses) and messages (/messages), or create embeddings (/embeddings).`

/** Paths that clients of similar services request but that do not exist, with the message of the error. */
export const absentOperations: Readonly<Record<string, string>> = {
  '/completions': absentOperation('complete plain text'),
  '/images/generations': absentOperation('generate images'),
  '/audio/speech': absentOperation('generate speech'),
  '/audio/transcriptions': absentOperation('transcribe audio'),
  '/moderations': absentOperation('moderate content'),
}
