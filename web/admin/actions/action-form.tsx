import { useMutation } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import type { Event } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { queryClient } from '../../api/query-client.ts'
import { useCan } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { saveFile } from '../../ui/csv.ts'
import { EventList } from '../../ui/event-list.tsx'
import { Form } from '../../ui/form.tsx'
import { findRecordPath } from '../../ui/record-name.tsx'
import { showToast } from '../../ui/toast.tsx'
import type { FormEntries } from '../../ui/use-form-draft.ts'
import type { DeclaredAction } from './actions.gen.ts'
import { listPathParameters, readAction, runSkill, trimInputPointers } from './call-action.ts'
import { listUnclearTexts, omitEmptyFields, pickChangedFields, type Values } from './entered-values.ts'
import { chooseControl, type InputSchema } from './input-schema.ts'
import { SchemaFields } from './schema-fields.tsx'

/** Input fields that only programs need. The form sets them itself. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['ifMatch', 'idempotencyKey', 'fields', 'expand', 'cursor'])

/** The field that the form shows last. Many actions have it, and users rarely need it. */
const LAST_FIELD = 'createScopes'

/** Shows the form of an action: required fields first, and the other fields behind a button if there are many. */
export function ActionForm(props: {
  name: string
  action: DeclaredAction
  schema: InputSchema
  /** The values of fields from the URL. */
  given: Readonly<Record<string, string>>
  stored: Values | null
  isChange: boolean
  onDone(result: unknown): void
}) {
  const { name, action, schema, given, stored, isChange, onDone } = props
  const navigate = useNavigate()
  const can = useCan()
  const initial = useMemo(() => findInitialValues(schema, given, stored), [schema, given, stored])
  const [values, setValues] = useState<Values>(initial)
  const [unclear, setUnclear] = useState<unknown>(null)
  const entries = useMemo<FormEntries<Values>>(
    () => ({
      current: pickChangedFields(initial, values),
      isChanged: values !== initial,
      // Fields that the user has not changed keep their currently stored value.
      restore: (changed) => setValues(Object.keys(changed).length === 0 ? initial : { ...initial, ...changed }),
      isWhole: true,
    }),
    [initial, values],
  )
  // The path parameters that are already set. The form does not show them, because the title of the page contains the
  // record.
  const places =
    stored === null ? [] : listPathParameters(action.path ?? '').filter((field) => given[field] !== undefined)
  const names = Object.keys(schema.properties ?? {})
    .filter((field) => !OWN_FIELDS.has(field) && !places.includes(field))
    .sort((a, b) => Number(a === LAST_FIELD) - Number(b === LAST_FIELD))
  const first = names.filter((field) => stored !== null || isShownFirst(schema, field, given))
  const others = names.filter((field) => !first.includes(field))
  const input = () => ({
    ...toInput(action, initial, values, stored),
    ...(stored !== null && schema.properties?.ifMatch !== undefined && { ifMatch: readVersion(stored) }),
  })
  const requestKey = useRequestKey()
  const run = useMutation({
    mutationFn: () => {
      const sent = input()
      return action.method === 'get' ? readAction(action, sent) : runSkill(name, sent, requestKey.of(sent))
    },
    onSuccess: async (result) => {
      if (result instanceof Blob) return saveFile(result, `${name}.${findExtension(action)}`)
      if (!isChange) return onDone(result)
      requestKey.renew()
      await queryClient.invalidateQueries()
      showToast(`Done: ${action.label}`)
      const to = findRecordPath(findId(result))
      if (to !== null) return void navigate(to)
      onDone(result)
    },
  })
  const preview = plumbline.useMutation('post', '/api/ext/execute', { meta: { changesNothing: true } })
  const attempt = (send: () => void) => {
    const errors = listUnclearTexts(values)
    if (errors.length === 0) {
      setUnclear(null)
      return send()
    }
    setUnclear(toUnclearProblem(errors))
  }
  const error = unclear ?? run.error ?? trimInputPointers(preview.error)
  return (
    <Form
      draft={isChange ? `${name} ${new URLSearchParams(given).toString()}` : null}
      entries={entries}
      error={error}
      onSubmit={() => {
        preview.reset()
        attempt(() => run.mutate())
      }}
    >
      <div className="fields">
        <SchemaFields schema={schema} names={first} values={values} pointer="" onChange={setValues} />
      </div>
      {others.length > 0 && (
        <details className="more">
          <summary>{first.length === 0 ? 'Options' : 'More fields'}</summary>
          <div className="fields">
            <SchemaFields schema={schema} names={others} values={values} pointer="" onChange={setValues} />
          </div>
        </details>
      )}
      <div className="row wrap">
        <Button look={ENDS_RECORD.test(name) ? 'danger' : 'primary'} type="submit" busy={run.isPending}>
          {isChange ? action.label : action.isFile === true ? 'Download' : 'Show'}
        </Button>
        {isChange && can('skills:write') && (
          <Button
            busy={preview.isPending}
            onClick={() => {
              run.reset()
              attempt(() => preview.mutate({ body: { skill: name, input: input(), dryRun: true } }))
            }}
          >
            Preview
          </Button>
        )}
      </div>
      {preview.data !== undefined && <Preview events={preview.data.events as readonly Event[]} />}
    </Form>
  )
}

/** Describes the effect of the action. For an action without events, only the input has been checked. */
function Preview({ events }: { events: readonly Event[] }) {
  return (
    <>
      <p role="status">The entries are valid. This is a preview: nothing has been changed yet.</p>
      {events.length > 0 && <EventList events={events} />}
    </>
  )
}

function toUnclearProblem(errors: readonly object[]): object {
  return {
    ...{ type: 'about:blank', status: 422, code: 'validation_failed', requestId: '' },
    ...{ title: 'Some entries are not clear.', detail: 'Correct the marked fields.', errors },
  }
}

function isShownFirst(schema: InputSchema, field: string, given: Readonly<Record<string, string>>): boolean {
  if (schema.required?.includes(field) === true || given[field] !== undefined) return true
  const { kind } = chooseControl(field, schema.properties?.[field] ?? {})
  const count = Object.keys(schema.properties ?? {}).length
  return kind === 'rows' || (count <= SHORT_FORM && kind !== 'json')
}

/** Matches actions that end or withdraw a record. */
const ENDS_RECORD = /^(archive|cancel|delete|remove|revoke|void)/

/** The maximum number of fields that a form shows without a button for the rest. */
const SHORT_FORM = 8

function findInitialValues(
  schema: InputSchema,
  given: Readonly<Record<string, string>>,
  stored: Values | null,
): Values {
  const known = Object.fromEntries(
    Object.keys(schema.properties ?? {}).flatMap((field) => {
      const value = stored?.[field]
      return value === undefined ? [] : [[field, toEditable(schema.properties?.[field] ?? {}, value)] as const]
    }),
  )
  return { ...known, ...given }
}

/** Returns a stored value with only the fields that the input accepts. */
function toEditable(schema: InputSchema, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => toEditable(schema.items ?? {}, item))
  if (typeof value !== 'object' || value === null || schema.properties === undefined) return value
  const { properties } = schema
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const property = properties[name]
      return property === undefined ? [] : [[name, toEditable(property, inner)]]
    }),
  )
}

/** Returns the input to send. If the action changes a record, the input contains only the changed fields. */
function toInput(
  { method, path = '' }: DeclaredAction,
  initial: Values,
  values: Values,
  stored: Values | null,
): Record<string, unknown> {
  const entered = omitEmptyFields(values) as Record<string, unknown>
  if (stored === null || method !== 'patch') return entered
  const places = Object.fromEntries(listPathParameters(path).map((name) => [name, values[name]]))
  return { ...pickChangedFields(omitEmptyFields(initial) as Record<string, unknown>, entered), ...places }
}

/** Returns the record's version for `If-Match`, so that the user does not overwrite another user's change. */
function readVersion({ version }: Values): string | undefined {
  return typeof version === 'number' ? `"${version}"` : undefined
}

function findId(result: unknown): string {
  return typeof result === 'object' && result !== null && 'id' in result ? String(result.id) : ''
}

function findExtension({ path = '' }: DeclaredAction): string {
  return /\.(\w+)$/.exec(path)?.[1] ?? (path.endsWith('/pdf') ? 'pdf' : 'bin')
}

/**
 * Returns the key of each request. The same input has the same key, so that a second click returns the result of the
 * first.
 */
function useRequestKey(): { of(input: object): string; renew(): void } {
  const last = useRef({ input: '', key: '' })
  return {
    of(input) {
      const text = JSON.stringify(input)
      if (last.current.input !== text) last.current = { input: text, key: crypto.randomUUID() }
      return last.current.key
    },
    renew() {
      last.current = { input: '', key: '' }
    },
  }
}
