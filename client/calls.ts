import type { paths } from './contract.gen.ts'
import type { Answer } from './problem.ts'

/**
 * The types of a call, derived from the contract's. They are stricter than openapi-fetch's own, which accept any extra
 * name next to the known ones: here a misspelt parameter or an unknown field does not compile.
 */
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

export type PathWith<M extends Method> = {
  [Path in keyof paths]: [NonNullable<paths[Path][M]>] extends [never] ? never : Path
}[keyof paths]

// Inferred once more, the path of a call is settled before its options are looked at. Otherwise the compiler first compares
// them with what every path takes that has the method, which is a tenth of a second for each POST.
export type Call<M extends Method> = <Path extends PathWith<M>>(
  path: Path,
  ...options: Path extends infer Settled extends PathWith<M> ? Given<Options<paths[Settled][M]>> : never
) => Promise<Answer<Data<paths[Path][M]>>>

/** What a call sends: `params`, `body`, and the other options of fetch. */
export type Options<Operation> = Params<Operation> & Body<Operation> & Omit<RequestInit, 'body' | 'headers' | 'method'>

/** Options may be omitted when none of them is required. */
export type Given<O> = Record<never, never> extends O ? [options?: O] : [options: O]

type Params<Operation> = Operation extends { parameters: infer P }
  ? Record<never, never> extends P
    ? { params?: P }
    : { params: P }
  : never

// A file goes as it is, or small within JSON.
type Body<Operation> = Operation extends { requestBody: { content: { 'application/json': infer B } } }
  ? { body: Operation extends { requestBody: { content: { 'application/octet-stream': string } } } ? B | Blob : B }
  : Operation extends { requestBody?: infer R }
    ? NonNullable<R> extends { content: { 'application/json': infer B } }
      ? [NonNullable<R>] extends [never]
        ? { body?: never }
        : { body?: B }
      : { body?: never }
    : { body?: never }

/** The body of the successful answer; undefined if it has none. */
export type Data<Operation> = Operation extends { responses: infer R }
  ? { [Status in keyof R & Success]: Content<R[Status]> }[keyof R & Success]
  : never

type Success = 200 | 201 | 202 | 204
/** What arrives as a file, whatever it holds. */
type FileContent =
  | { 'application/octet-stream': string }
  | { 'application/pdf': string }
  | { 'application/x-ndjson': string }
  | { 'text/csv': string }
type Content<R> = R extends { content: { 'application/json': infer B } }
  ? B
  : R extends { content: { 'application/yaml': infer B } }
    ? B
    : R extends { content: FileContent }
      ? Blob
      : undefined

/** The paths that answer with pages. */
export type ListPath = {
  [Path in PathWith<'get'>]: Data<paths[Path]['get']> extends { data: readonly unknown[]; nextCursor: string | null }
    ? Path
    : never
}[PathWith<'get'>]

export type Item<Path extends ListPath> =
  Data<paths[Path]['get']> extends { data: readonly (infer One)[] } ? One : never
