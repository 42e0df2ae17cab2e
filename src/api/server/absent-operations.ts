const absentOperation = (name: string) =>
  `${name} no operation here: models answer chats (/chat/completions), responses (/responses) and messages (/messages), or create embeddings (/embeddings).`

/** Paths that clients of similar services request but that do not exist, with the message of the error. */
export const absentOperations: Readonly<Record<string, string>> = {
  '/completions': absentOperation('Completions of a text are'),
  '/images/generations': absentOperation('Images are'),
  '/audio/speech': absentOperation('Speech is'),
  '/audio/transcriptions': absentOperation('Transcriptions are'),
  '/moderations': absentOperation('Moderations are'),
}
