import { toFieldLabel } from '../../../server/platform/values/field-words.ts'
import { Field } from '../../ui/form.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { toFieldHint } from './action-words.ts'
import type { Values } from './entered-values.ts'
import { chooseControl, type InputSchema } from './input-schema.ts'
import { RowsField } from './rows-field.tsx'
import { ValueControl } from './value-control.tsx'

/** Shows a control for each property of an object. `pointer` is the location of the object in the input. */
export function SchemaFields(props: {
  schema: InputSchema
  names: readonly string[]
  values: Values
  pointer: string
  onChange(values: Values): void
}) {
  const { schema, names, values, pointer, onChange } = props
  return names.map((name) => {
    const property = schema.properties?.[name]
    if (property === undefined) return null
    return (
      <SchemaField
        key={name}
        name={name}
        schema={property}
        isRequired={schema.required?.includes(name) === true}
        value={values[name]}
        pointer={`${pointer}/${name}`}
        onChange={(value) => onChange({ ...values, [name]: value })}
      />
    )
  })
}

function SchemaField(props: {
  name: string
  schema: InputSchema
  isRequired: boolean
  value: unknown
  pointer: string
  onChange(value: unknown): void
}) {
  const { name, schema, isRequired, value, pointer, onChange } = props
  const control = chooseControl(name, schema)
  const label = toFieldLabel(name)
  const hint = toFieldHint(schema.description)
  if (control.kind === 'rows') {
    const rows = Array.isArray(value) ? (value as Values[]) : []
    return (
      <RowsField
        {...{ name, label, hint, pointer, rows, onChange, row: control.row }}
        renderForm={(values, place, change) => (
          <SchemaFields
            schema={control.row}
            names={Object.keys(control.row.properties ?? {})}
            values={values}
            pointer={place}
            onChange={change}
          />
        )}
      />
    )
  }
  if (control.kind === 'group') {
    const { group } = control
    return (
      <fieldset className="group">
        <legend>{label}</legend>
        {hint !== undefined && <p className="hint">{hint}</p>}
        <div className="fields">
          <SchemaFields
            schema={group}
            names={Object.keys(group.properties ?? {})}
            values={(value ?? {}) as Values}
            pointer={pointer}
            onChange={onChange}
          />
        </div>
      </fieldset>
    )
  }
  if (control.kind === 'choices') {
    const chosen = Array.isArray(value) ? (value as string[]) : []
    return (
      <fieldset className="group">
        <legend>{label}</legend>
        {hint !== undefined && <p className="hint">{hint}</p>}
        <div className="row wrap">
          {control.options.map((option) => (
            <label className="check" key={option}>
              <input
                type="checkbox"
                checked={chosen.includes(option)}
                onChange={(event) =>
                  onChange(event.target.checked ? [...chosen, option] : chosen.filter((one) => one !== option))
                }
              />
              {humanizeName(option)}
            </label>
          ))}
        </div>
      </fieldset>
    )
  }
  return (
    <Field {...{ name, label, hint, pointer }} optional={!isRequired}>
      {(attributes) => <ValueControl {...{ attributes, name, schema, isRequired, value, onChange }} />}
    </Field>
  )
}
