import { client } from '../../api/plumbline.ts'
import type { DeclaredAction } from './actions.gen.ts'

/**
 * Removes the types of the client, which has one signature for each path. The path of these calls is known only at run
 * time.
 */
const untypedClient = client as unknown as {
  request(method: string, path: string, init: object): Promise<{ data?: unknown; error?: unknown }>
}

type Input = Readonly<Record<string, unknown>>

/**
 * Runs an action that changes data, or a composite skill, and returns its result. An operation also runs as a skill.
 * The input of a skill can refer to records by number or name, which users paste from spreadsheets.
 *
 * @throws the problem if the action is rejected, with pointers to the fields of the input
 */
export async function runSkill(skill: string, input: Input, idempotencyKey: string): Promise<unknown> {
  try {
    const execution = await send('post', '/api/ext/execute', {
      body: { skill, input, dryRun: false },
      params: { header: { 'Idempotency-Key': idempotencyKey } },
    })
    return (execution as { result: unknown }).result
  } catch (error) {
    throw trimInputPointers(error)
  }
}

/** Returns the result of a GET operation, which is a Blob if it is a file. */
export async function readAction({ path = '', isFile }: DeclaredAction, input: Input): Promise<unknown> {
  const places = listPathParameters(path)
  const pick = (isWanted: (field: string) => boolean) =>
    Object.fromEntries(Object.entries(input).filter(([field]) => isWanted(field)))
  return send('get', path, {
    params: { path: pick((field) => places.includes(field)), query: pick((field) => !places.includes(field)) },
    ...(isFile === true && { parseAs: 'blob' }),
  })
}

async function send(method: string, path: string, init: object): Promise<unknown> {
  const { data, error } = await untypedClient.request(method, path, init)
  if (error !== undefined) throw error
  return data ?? null
}

/** Removes `/input` from the pointers in a skill's errors, so that the form shows each error at its field. */
export function trimInputPointers(error: unknown): unknown {
  if (typeof error !== 'object' || error === null || !('errors' in error) || !Array.isArray(error.errors)) return error
  const errors = (error.errors as { pointer: string }[]).map((one) => ({
    ...one,
    pointer: one.pointer.replace(/^\/input/, ''),
  }))
  return { ...error, errors }
}

export function listPathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? [])
}
