import { useState } from 'react'
import type { OrganizationSettings, Weekday } from '../../../client/contract.gen.ts'
import { useMay } from '../../api/caller.ts'
import { plumbline } from '../../api/plumbline.ts'
import { inWords } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { quantity } from '../../ui/figures.ts'
import { SelectField, TextAreaField, TextField, typed, typedNumber } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Page } from '../../ui/page.tsx'
import { KeyValues, Panel } from '../../ui/panel.tsx'
import { Failed, SkeletonLines } from '../../ui/states.tsx'
import { None } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { say } from '../../ui/toast.tsx'
import { Sandbox } from './sandbox.tsx'

type Part = 'general' | 'overtime' | 'stages' | 'terms'
const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const satisfies readonly Weekday[]

/** Shows settings for the whole organization. */
export function Component() {
  const settings = plumbline.useQuery('get', '/api/admin/organization')
  return (
    <Page title="Organization" crumbs={[{ name: 'Settings' }, { name: 'Organization' }]}>
      <div className="page-head">
        <h1>Organization</h1>
        <p>Settings for all users. Changes apply immediately.</p>
      </div>
      {settings.error !== null ? (
        <Failed what="The settings" error={settings.error} onRetry={() => void settings.refetch()} />
      ) : settings.data === undefined ? (
        <SkeletonLines lines={8} />
      ) : (
        <Shown settings={settings.data} />
      )}
    </Page>
  )
}

function Shown({ settings }: { settings: OrganizationSettings }) {
  const may = useMay()
  const [open, setOpen] = useState<Part | null>(null)
  const { overtimeRule, salePipelineStages, poTerms } = settings
  const edit = (part: Part, what: string) =>
    may('settings:write') && (
      <Button small onClick={() => setOpen(part)}>
        Edit<span className="sr"> {what}</span>
      </Button>
    )
  return (
    <>
      <div className="cols even">
        <Panel title="General" actions={edit('general', 'general settings')}>
          <KeyValues
            facts={[
              ['Name', settings.name],
              ['Time zone', settings.timeZone],
              ['Weeks begin on', inWords(settings.weekStartsOn)],
              ['Currency', `${settings.currency} (cannot be changed)`],
              ['Tier', settings.tier === 'pro_plus' ? 'Pro+, with API access' : 'Standard'],
              ['ID', <code key="id">{settings.id}</code>],
              ['Last changed', <Time key="changed" at={settings.updatedAt} />],
            ]}
          />
        </Panel>
        <div className="stack">
          <Panel
            title="Overtime"
            hint="applies to timesheet weeks changed from now on"
            actions={edit('overtime', 'overtime')}
          >
            <KeyValues
              facts={[
                ['Weekly', hoursOf(overtimeRule.weeklyAfterHours, 'a week')],
                ['Daily', hoursOf(overtimeRule.dailyAfterHours, 'a day')],
                ['Pay rate', `${quantity(overtimeRule.multiplier)} × the hourly rate`],
              ]}
            />
          </Panel>
          <Panel title="Sale stages" hint="for new sales" actions={edit('stages', 'sale stages')}>
            <ol className="numbered">
              {salePipelineStages.map((stage) => (
                <li key={stage}>{inWords(stage)}</li>
              ))}
            </ol>
          </Panel>
        </div>
      </div>
      <Panel title="Order terms" hint="printed at the end of order documents" actions={edit('terms', 'order terms')}>
        {poTerms === null ? <p className="muted">No order terms yet.</p> : <p className="pre-line">{poTerms}</p>}
      </Panel>
      <Sandbox />
      {open !== null && <Edit part={open} settings={settings} onClose={() => setOpen(null)} />}
    </>
  )
}

function hoursOf(hours: number | null, unit: string) {
  return hours === null ? <None /> : `after ${quantity(hours)} hours ${unit}`
}

const TITLES: Record<Part, string> = {
  general: 'Edit organization',
  overtime: 'Edit overtime',
  stages: 'Edit sale stages',
  terms: 'Edit order terms',
}

function Edit({ part, settings, onClose }: { part: Part; settings: OrganizationSettings; onClose(): void }) {
  const change = plumbline.useMutation('patch', '/api/admin/organization', {
    onSuccess: () => {
      say('Settings updated')
      onClose()
    },
  })
  const bodyOf = (form: FormData) => {
    if (part === 'terms') return { poTerms: typed(form, 'poTerms') ?? null }
    if (part === 'stages') {
      const stages = (typed(form, 'salePipelineStages') ?? '').split('\n').map(stageOf)
      return { salePipelineStages: stages.filter((stage) => stage !== '') }
    }
    if (part === 'overtime') {
      const { multiplier } = settings.overtimeRule
      return {
        overtimeRule: {
          weeklyAfterHours: typedNumber(form, 'weeklyAfterHours') ?? null,
          dailyAfterHours: typedNumber(form, 'dailyAfterHours') ?? null,
          multiplier: typedNumber(form, 'multiplier') ?? multiplier,
        },
      }
    }
    return {
      name: typed(form, 'name') ?? '',
      timeZone: typed(form, 'timeZone') ?? '',
      weekStartsOn: WEEKDAYS.find((day) => day === form.get('weekStartsOn')) ?? settings.weekStartsOn,
    }
  }
  return (
    <FormDialog
      title={TITLES[part]}
      word="Save"
      {...{ change, of: settings, onClose }}
      onSubmit={(form, ifMatch) => change.mutate({ params: { header: ifMatch }, body: bodyOf(form) })}
    >
      {part === 'general' && <General settings={settings} />}
      {part === 'overtime' && <Overtime settings={settings} />}
      {part === 'stages' && (
        <TextAreaField
          name="salePipelineStages"
          label="Stages in order, one per line"
          rows={8}
          defaultValue={settings.salePipelineStages.map(inWords).join('\n')}
          hint="Current sales keep their stages."
        />
      )}
      {part === 'terms' && (
        <TextAreaField name="poTerms" label="Terms" rows={10} optional defaultValue={settings.poTerms ?? ''} />
      )}
    </FormDialog>
  )
}

/** Turns `Contract signed` into its stored form. */
function stageOf(words: string): string {
  return words.trim().toLowerCase().replaceAll(/\s+/g, '_')
}

function General({ settings }: { settings: OrganizationSettings }) {
  return (
    <>
      <TextField name="name" label="Name" defaultValue={settings.name} autoFocus />
      <div className="form-row">
        <TextField
          name="timeZone"
          label="Time zone"
          defaultValue={settings.timeZone}
          hint="For example America/Chicago. Applies to all deadlines and dates."
        />
        <SelectField
          name="weekStartsOn"
          label="Weeks begin on"
          defaultValue={settings.weekStartsOn}
          options={WEEKDAYS.map((value) => ({ value, label: inWords(value) }))}
        />
      </div>
    </>
  )
}

function Overtime({ settings: { overtimeRule } }: { settings: OrganizationSettings }) {
  return (
    <>
      <div className="form-row">
        <TextField
          name="weeklyAfterHours"
          pointer="/overtimeRule/weeklyAfterHours"
          label="Hours per week"
          optional
          defaultValue={overtimeRule.weeklyAfterHours ?? ''}
          hint="If empty, there is no weekly limit."
          autoFocus
        />
        <TextField
          name="dailyAfterHours"
          pointer="/overtimeRule/dailyAfterHours"
          label="Hours per day"
          optional
          defaultValue={overtimeRule.dailyAfterHours ?? ''}
          hint="If empty, there is no daily limit."
        />
      </div>
      <TextField
        name="multiplier"
        pointer="/overtimeRule/multiplier"
        label="Pay rate multiplier"
        defaultValue={overtimeRule.multiplier}
      />
    </>
  )
}
