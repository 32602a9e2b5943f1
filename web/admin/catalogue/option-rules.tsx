import { useMemo, useState } from 'react'
import type { Option } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { KeyValues, Panel } from '../../ui/panel.tsx'
import { RecordNames } from '../../ui/record-names.tsx'
import { showToast } from '../../ui/toast.tsx'
import { RecordChoice } from '../actions/record-choice.tsx'

/** Shows the homes that can have an option, and the options that it requires and excludes. */
export function OptionRules({ option, canEdit }: { option: Option; canEdit: boolean }) {
  const [isEditing, setIsEditing] = useState(false)
  return (
    <Panel
      title="Rules"
      actions={
        canEdit && (
          <Button small onClick={() => setIsEditing(true)}>
            Edit rules
          </Button>
        )
      }
    >
      <KeyValues
        facts={[
          ['Plans', <RecordNames key="plans" of="plan" ids={option.planIds} none="all" />],
          ['Communities', <RecordNames key="where" of="community" ids={option.communityIds} none="all" />],
          ['Requires', <RecordNames key="requires" of="option" ids={option.requiresOptionIds} none="nothing" />],
          ['Excludes', <RecordNames key="excludes" of="option" ids={option.excludesOptionIds} none="nothing" />],
        ]}
      />
      {isEditing && <RulesDialog option={option} onClose={() => setIsEditing(false)} />}
    </Panel>
  )
}

const RULES = [
  {
    field: 'planIds',
    label: 'Plans',
    path: '/api/ext/plans',
    hint: 'If empty, the option is available for all plans.',
  },
  {
    field: 'communityIds',
    label: 'Communities',
    path: '/api/ext/communities',
    hint: 'If empty, all communities offer the option.',
  },
  {
    field: 'requiresOptionIds',
    label: 'Requires',
    path: '/api/ext/options',
    hint: 'These options must be selected and approved first.',
  },
  {
    field: 'excludesOptionIds',
    label: 'Excludes',
    path: '/api/ext/options',
    hint: 'A home cannot have both options. The rule applies in both directions.',
  },
] as const

type Rules = Pick<Option, (typeof RULES)[number]['field']>

/** Changes the rules of an option. */
function RulesDialog({ option, onClose }: { option: Option; onClose(): void }) {
  const [initial] = useState<Rules>(() => ({
    planIds: option.planIds,
    communityIds: option.communityIds,
    requiresOptionIds: option.requiresOptionIds,
    excludesOptionIds: option.excludesOptionIds,
  }))
  const [rules, setRules] = useState(initial)
  const entries = useMemo(() => ({ current: rules, isChanged: rules !== initial, restore: setRules }), [rules, initial])
  const change = plumbline.useMutation('patch', '/api/ext/options/{optionId}', {
    onSuccess: ({ name }) => {
      showToast(`Rules of ${name} changed`)
      onClose()
    },
  })
  return (
    <FormDialog
      title="Edit rules"
      note={option.name}
      word="Save rules"
      of={option}
      {...{ change, onClose, entries }}
      onSubmit={(_, ifMatch) =>
        change.mutate({ params: { path: { optionId: option.id }, header: ifMatch }, body: rules })
      }
    >
      {RULES.map(({ field, label, path, hint }) => (
        <Field key={field} name={field} label={label} optional hint={hint}>
          {(control) => (
            <RecordChoice
              control={control}
              list={{ path, searches: true }}
              value={rules[field]}
              isMultiple
              onChange={(ids) => setRules({ ...rules, [field]: ids })}
            />
          )}
        </Field>
      ))}
    </FormDialog>
  )
}
