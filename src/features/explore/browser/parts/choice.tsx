import { titleOf } from "../../../../figures/figure-text.ts";

interface ChoiceProps<Name extends string> {
  label: string;
  value: Name | undefined;
  all: readonly Name[];
  /** What it says for none of them; without it, one must be chosen. */
  none?: string;
  onChoose: (name: Name | undefined) => void;
}

/** A choice of one name. */
export function Choice<Name extends string>({ label, value, all, none, onChoose }: ChoiceProps<Name>) {
  return (
    <label>
      {label}
      <select
        value={value ?? ""}
        onChange={({ currentTarget }) => onChoose(all.find((name) => name === currentTarget.value))}
      >
        {none && <option value="">{none}</option>}
        {all.map((name) => (
          <option key={name} value={name}>
            {titleOf(name).toLowerCase()}
          </option>
        ))}
      </select>
    </label>
  );
}
