import type { Data } from './calls.ts'
import type { Execution, operations } from './contract.gen.ts'
import type { CompositeSkills, OperationSkill } from './skills.gen.ts'

/**
 * The skills that `execute` can run, by name: every operation for a builder's programs, and the composite skills. An
 * operation has one flat input with its path and query parameters and its body fields (`ifMatch` for the header).
 */
export type Skills = { [Id in OperationSkill]: Operation<Id> } & CompositeSkills
export type SkillName = keyof Skills
export type SkillInput<Name extends SkillName> = Skills[Name]['input']
export type SkillResult<Name extends SkillName> = Skills[Name]['result']

/** The outcome of a skill, with the type of that skill's result. */
export type ExecutionOf<Name extends SkillName> = Omit<Execution, 'skill' | 'result'> & {
  skill: Name
  result: SkillResult<Name>
}

export interface ExecuteOptions {
  /**
   * Performs the skill and rolls it back. The response shows the result and the events that the skill would have had.
   */
  dryRun?: boolean
  /** Identifies the attempt. By default, each call generates a new key. */
  idempotencyKey?: string
  signal?: AbortSignal
}

/** The input may be omitted if none of its fields is required. */
export type ExecuteArguments<Name extends SkillName> =
  Record<never, never> extends SkillInput<Name>
    ? [input?: SkillInput<Name>, options?: ExecuteOptions]
    : [input: SkillInput<Name>, options?: ExecuteOptions]

interface Operation<Id extends keyof operations> {
  input: Flat<Parameter<Id, 'path'> & Parameter<Id, 'query'> & Body<operations[Id]> & IfMatch<Id>>
  // A JSON response contains a file as base64.
  result: Data<operations[Id]> extends undefined
    ? null
    : Data<operations[Id]> extends Blob
      ? string
      : Data<operations[Id]>
}

type Parameter<Id extends keyof operations, Where extends 'path' | 'query'> = [
  NonNullable<operations[Id]['parameters'][Where]>,
] extends [never]
  ? unknown
  : NonNullable<operations[Id]['parameters'][Where]>

type Body<Operation> = Operation extends { requestBody: { content: { 'application/json': infer B } } }
  ? B
  : Operation extends { requestBody?: infer R }
    ? [NonNullable<R>] extends [never]
      ? unknown
      : NonNullable<R> extends { content: { 'application/json': infer B } }
        ? Partial<B>
        : unknown
    : unknown

type IfMatch<Id extends keyof operations> = operations[Id]['parameters'] extends { header?: infer H }
  ? 'If-Match' extends keyof NonNullable<H>
    ? { ifMatch?: string }
    : unknown
  : unknown

// The type is flattened, so that an editor shows the fields instead of the combined types.
type Flat<T> = { [Field in keyof T]: T[Field] }
