import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js'
import type { components } from '../../../client/contract.gen.ts'
import { toFieldErrors } from '../problems/field-errors.ts'
import { registerFormats } from '../problems/formats.ts'
import { validationFailed } from '../problems/problem.ts'
import { getMinorUnits } from '../values/minor-units.ts'
import type { Call } from './call.ts'
import type { Checked } from './checked.gen.ts'
import type { Contract } from './contract.ts'

export type RowSchema = keyof components['schemas'] & string
/** A row after validation, with default values. */
export type CheckedRow<Name extends RowSchema> = Name extends keyof Checked
  ? Checked[Name]
  : components['schemas'][Name]

/**
 * Returns a function that validates each row of a request separately, using a schema of the contract. With best_effort,
 * validation of the request accepts any object as a row, so that an invalid row does not fail the request.
 */
export function createRowChecker<Name extends RowSchema>(
  { services, currency }: Pick<Call, 'services' | 'currency'>,
  name: Name,
): (row: unknown) => CheckedRow<Name> {
  const validate = findCompiler(services.contract, getMinorUnits(currency))(name)
  return (row) => {
    if (!validate(row)) {
      throw validationFailed(
        toFieldErrors(validate.errors ?? [], { pointer: (path) => path, noun: 'field of these rows', currency }),
      )
    }
    return row as CheckedRow<Name>
  }
}

type Compiler = (name: RowSchema) => ValidateFunction

const compilers = new WeakMap<Contract, Map<number, Compiler>>()

function findCompiler(contract: Contract, moneyDecimals: number): Compiler {
  const byDecimals = compilers.get(contract) ?? new Map<number, Compiler>()
  compilers.set(contract, byDecimals)
  let compiler = byDecimals.get(moneyDecimals)
  if (compiler === undefined) {
    const ajv = registerFormats(
      new Ajv2020.default({ strict: false, allErrors: true, verbose: true, useDefaults: true }),
      moneyDecimals,
    )
    ajv.addSchema({ components: contract.document.components }, DOCUMENT)
    const compiled = new Map<string, ValidateFunction>()
    compiler = (name) => {
      const validate = compiled.get(name) ?? ajv.compile({ $ref: `${DOCUMENT}#/components/schemas/${name}` })
      compiled.set(name, validate)
      return validate
    }
    byDecimals.set(moneyDecimals, compiler)
  }
  return compiler
}

const DOCUMENT = 'contract'
