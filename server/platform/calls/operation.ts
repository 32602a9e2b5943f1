import type { operations } from '../../../client/contract.gen.ts'
import type { Call } from './call.ts'
import type { CheckedBodies, FilledQueries } from './checked.gen.ts'
import type { OperationId } from './contract.ts'
import type { FileResponse } from './file-response.ts'
import type { Json } from './json.ts'
import type { ReceivedFile } from './upload.ts'

/**
 * The input and the result of a handler, derived from the types of the contract by operationId. Handlers do not use
 * requests or responses. Handlers receive validated values and return plain values, so HTTP and skills call them in the
 * same way. Fields with a default in the contract are always set.
 */
export interface Input<Id extends OperationId> {
  path: OperationParameters<Id, 'path'>
  query: Id extends keyof FilledQueries
    ? WithDefaults<OperationParameters<Id, 'query'>, FilledQueries[Id] & keyof OperationParameters<Id, 'query'>>
    : OperationParameters<Id, 'query'>
  body: (Id extends keyof CheckedBodies ? CheckedBodies[Id] : Body<operations[Id]>) | FileBody<operations[Id]>
  /** The version on which a change is based. Only for operations with If-Match. */
  ifMatch: 'If-Match' extends keyof OperationParameters<Id, 'header'> ? string | undefined : never
}

export type Handler<Id extends OperationId> = (input: Input<Id>, call: Call) => Promise<Reply<Id>>
export type Handlers = { [Id in OperationId]: Handler<Id> }

/**
 * Combines the handlers of all slices in one object. If two slices handle the same operation, the compiler reports an
 * error.
 */
export function mergeHandlers<const Slices extends readonly Partial<Handlers>[]>(
  ...slices: Slices &
    ([DuplicateHandlers<Slices>] extends [never] ? unknown : `${DuplicateHandlers<Slices>} is handled twice`)
): MergedHandlers<Slices> {
  return Object.assign({}, ...(slices as readonly object[])) as MergedHandlers<Slices>
}

// The intermediate results are type parameters, because the compiler evaluates only about fifty nested types.
type DuplicateHandlers<Slices, Seen = never, Found = never> = Slices extends readonly [infer First, ...infer Rest]
  ? DuplicateHandlers<Rest, Seen | keyof First, Found | (keyof First & Seen & string)>
  : Found
type MergedHandlers<Slices, Known = unknown> = Slices extends readonly [infer First, ...infer Rest]
  ? MergedHandlers<Rest, Known & First>
  : Known

/** A successful response that the contract declares for the operation. Problems are thrown instead. */
export type Reply<Id extends OperationId> = {
  [Status in keyof operations[Id]['responses'] & number]: ResponseContent<
    operations[Id]['responses'][Status]
  > extends infer B
    ? [B] extends [never]
      ? never
      : [B] extends [undefined]
        ? { status: Status; body?: undefined; headers?: Record<string, string> }
        : B extends FileResponse
          ? { status: Status; body: B; headers?: Record<string, string> }
          : { status: Status; body: B | Json<B>; headers?: Record<string, string> }
    : never
}[keyof operations[Id]['responses'] & number]

/** The body of a successful response of the operation. */
export type ResponseBody<Id extends OperationId> = Exclude<
  Extract<Reply<Id>, { body: object | string }>['body'],
  Json<unknown>
>

/** An input in which fields with a default are always set, including fields of some nested objects. */
export type WithDefaults<T, Names extends keyof T, Inner = object> = Flat<
  Omit<T, Names | keyof Inner> &
    Required<Pick<T, Names>> & {
      [Name in keyof Pick<T, keyof Inner & keyof T>]: Inner[Name & keyof Inner] | Extract<T[Name], undefined>
    }
>
type Flat<T> = { [Name in keyof T]: T[Name] }

type OperationParameters<Id extends OperationId, In extends 'path' | 'query' | 'header'> = operations[Id] extends {
  parameters: infer P
}
  ? In extends keyof P
    ? NonNullable<P[In]> extends never
      ? Record<string, never>
      : NonNullable<P[In]>
    : Record<string, never>
  : Record<string, never>

type ResponseContent<R> = R extends { content: { 'application/json': infer B } | { 'application/yaml': infer B } }
  ? B
  : R extends { content: FileContent }
    ? FileResponse
    : R extends { content?: never }
      ? undefined
      : never
/** The content types of files. */
type FileContent =
  | { 'application/octet-stream': string }
  | { 'application/pdf': string }
  | { 'application/x-ndjson': string }
  | { 'image/webp': string }
  | { 'text/csv': string }
// A file that is sent instead of JSON has been received completely before the handler is called.
type FileBody<Op> = Op extends { requestBody: { content: { 'application/octet-stream': string } } }
  ? ReceivedFile
  : never
// If an optional body is missing, the handler receives an empty object.
type Body<Op> = Op extends { requestBody?: infer R }
  ? [R & {}] extends [never]
    ? undefined
    : ResponseContent<R & {}>
  : undefined
