import type { FunctionDefinition } from '../../client/index.ts'

/** A message in the chat completions format. */
export interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string | null
  tool_calls?: ToolCall[]
  tool_call_id?: string
}

export interface ToolCall {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
}

export interface Reply {
  message: Message
  /** The number of tokens in the turn, including the whole chat so far. */
  tokens: number
}

export type Model = (
  messages: readonly Message[],
  tools: readonly FunctionDefinition[],
  signal: AbortSignal,
) => Promise<Reply>

interface Completion {
  choices?: { message?: Message }[]
  usage?: { total_tokens?: number }
}

/** Returns a model at any URL that supports chat completions with tools, as nearly every provider does. */
export function chatModel({ baseUrl, key, name }: { baseUrl: string; key: string; name: string }): Model {
  return async (messages, tools, signal) => {
    const body = JSON.stringify({ model: name, messages, tools })
    const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/chat/completions`, {
      ...{ method: 'POST', body, signal },
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    })
    if (!response.ok) throw new Error(`The model answered ${response.status}: ${(await response.text()).slice(0, 500)}`)
    const { choices, usage } = (await response.json()) as Completion
    const message = choices?.[0]?.message
    if (message === undefined) throw new Error('The model answered without a message.')
    // Some providers do not count tokens. A token has about four characters.
    return { message, tokens: usage?.total_tokens ?? Math.ceil(body.length / 4) }
  }
}
