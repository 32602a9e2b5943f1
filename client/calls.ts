import type { paths } from './contract.gen.ts'
import type { Answer } from './problem.ts'

/**
 * Types of a call, derived from the contract's types. They are stricter than the types of openapi-fetch, which accept
 * unknown names. Here, a misspelled parameter or an unknown field does not compile.
 */
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

export type PathWith<M extends Method> = {
  [Path in keyof paths]: [NonNullable<paths[Path][M]>] extends [never] ? never : Path
}[keyof paths]

// The second inference determines the path of a call before the compiler checks the options. Otherwise, the compiler
// would compare the options with those of every path that has the method, and each POST would take a tenth of a second
// to check.
export type Call<M extends Method> = <Path extends PathWith<M>>(
  path: Path,
  ...options: Path extends infer Settled extends PathWith<M> ? Given<Options<paths[Settled][M]>> : never
) => Promise<Answer<Data<paths[Path][M]>>>

/** The options of a call: `params`, `body`, and the other options of fetch. */
export type Options<Operation> = Params<Operation> & Body<Operation> & Omit<RequestInit, 'body' | 'headers' | 'method'>

/** Makes the `options` argument optional if none of the options is required. */
export type Given<O> = Record<never, never> extends O ? [options?: O] : [options: O]

type Params<Operation> = Operation extends { parameters: infer P }
  ? Record<never, never> extends P
    ? { params?: P }
    : { params: P }
  : never

// For an operation that accepts a file, the body is the file itself. A small file may also be sent within JSON.
type Body<Operation> = Operation extends { requestBody: { content: { 'application/json': infer B } } }
  ? { body: Operation extends { requestBody: { content: { 'application/octet-stream': string } } } ? B | Blob : B }
  : Operation extends { requestBody?: infer R }
    ? NonNullable<R> extends { content: { 'application/json': infer B } }
      ? [NonNullable<R>] extends [never]
        ? { body?: never }
        : { body?: B }
      : { body?: never }
    : { body?: never }

/** The body of the successful response. Undefined if the response has no body. */
export type Data<Operation> = Operation extends { responses: infer R }
  ? { [Status in keyof R & Success]: Content<R[Status]> }[keyof R & Success]
  : never

type Success = 200 | 201 | 202 | 204
/** The possible media types of a response that is a file. */
type FileContent =
  | { 'application/octet-stream': string }
  | { 'application/pdf': string }
  | { 'application/x-ndjson': string }
  | { 'image/webp': string }
  | { 'text/csv': string }
type Content<R> = R extends { content: { 'application/json': infer B } }
  ? B
  : R extends { content: { 'application/yaml': infer B } }
    ? B
    : R extends { content: FileContent }
      ? Blob
      : undefined

/** The paths that return pages. */
export type ListPath = {
  [Path in PathWith<'get'>]: Data<paths[Path]['get']> extends { data: readonly unknown[]; nextCursor: string | null }
    ? Path
    : never
}[PathWith<'get'>]

export type Item<Path extends ListPath> =
  Data<paths[Path]['get']> extends { data: readonly (infer One)[] } ? One : never
