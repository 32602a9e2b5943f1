import { useId } from 'react'
import { useSearchParams } from 'react-router'
import { useQueryParam } from '../../ui/param-select.tsx'
import type { RecordList } from '../actions/input-schema.ts'
import { RecordChoice } from '../actions/record-choice.tsx'

/** Shows a choice of one record whose ID is in the URL. No record is chosen at first. */
export function ParamRecord({ name, label, list }: { name: string; label: string; list: RecordList }) {
  const id = useId()
  const [params] = useSearchParams()
  const set = useQueryParam(name)
  const value = params.get(name)
  return (
    <label className="row" htmlFor={id}>
      {label}
      <RecordChoice
        control={{ id, name, 'aria-invalid': undefined, 'aria-describedby': undefined }}
        list={list}
        value={value === null ? [] : [value]}
        isMultiple={false}
        onChange={([chosen = '']) => set(chosen)}
      />
    </label>
  )
}
