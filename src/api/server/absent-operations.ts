const lacking = (what: string) =>
  `${what} no operation here: models answer chats (/chat/completions), responses (/responses) and messages (/messages).`

/** Paths that clients of similar services request but that do not exist, with the message of the error. */
export const absentOperations: Readonly<Record<string, string>> = {
  '/embeddings': lacking('Embeddings are'),
  '/completions': lacking('Completions of a text are'),
  '/images/generations': lacking('Images are'),
  '/audio/speech': lacking('Speech is'),
  '/audio/transcriptions': lacking('Transcriptions are'),
  '/moderations': lacking('Moderations are'),
}
