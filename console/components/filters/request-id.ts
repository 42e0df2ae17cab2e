/**
 * The id of a request in a text, such as an address: the generation id, or the id in the response of a chat completion, a
 * response or a message. Undefined if there is none.
 */
export const requestIdIn = (text: string): string | undefined =>
  /\b(?:gen-|chatcmpl-|resp_|msg_)[\w-]{8,}/.exec(text)?.[0]
