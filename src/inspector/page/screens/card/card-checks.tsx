import { useEffect, useState } from "preact/hooks";
import { Badge, Notice, type Tone } from "../../components/badge.js";
import { agentFetch } from "../../session/agent-fetch.js";
import type { CardPlace } from "./card-places.js";
import type { CheckedCard, CheckedRule } from "./judge-card.js";

type Requirements = typeof import("virtual:requirements").requirements;

const verdicts: Readonly<Record<CheckedRule["verdict"], readonly [Tone, string]>> = {
  violated: ["bad", "Violated"],
  open: ["quiet", "Not applicable"],
  met: ["good", "Met"],
};

/** The card against the requirements of the protocol, each with its section. */
export function CardChecks({ place }: { place: CardPlace }) {
  const [checked, setChecked] = useState<CheckedCard>();
  const [requirements, setRequirements] = useState<Requirements>({});
  useEffect(() => {
    const load = async () => {
      const [{ judgeCard }, { requirements: known }] = await Promise.all([
        import("./judge-card.js"),
        import("virtual:requirements"),
      ]);
      setRequirements(known);
      setChecked(await judgeCard(place, agentFetch({ agent: place.url })));
    };
    void load();
  }, [place]);
  if (checked === undefined) return <Notice>Checking the card …</Notice>;
  return (
    <>
      <Summary checked={checked} />
      {checked.faults.length > 0 && <Faults checked={checked} />}
      {checked.rules.length > 0 && (
        <section class="panel">
          <table>
            <thead>
              <tr>
                <th scope="col">Result</th>
                <th scope="col">What is checked</th>
                <th scope="col">Section and requirement</th>
              </tr>
            </thead>
            <tbody>
              {Object.keys(verdicts).flatMap((verdict) =>
                checked.rules
                  .filter((rule) => rule.verdict === verdict)
                  .map((rule) => <Rule key={rule.claim} rule={rule} requirements={requirements} />),
              )}
            </tbody>
          </table>
        </section>
      )}
    </>
  );
}

function Summary({ checked: { rules, earlierVersion, faults } }: { checked: CheckedCard }) {
  if (earlierVersion !== undefined)
    return (
      <Notice>
        This card is written in version {earlierVersion}, and the requirements are those of newer cards. So it
        was read member by member{faults.length === 0 && ", and every member is as it should be"}.
      </Notice>
    );
  const violated = rules.filter(({ verdict }) => verdict === "violated").length;
  return (
    <Notice tone={violated > 0 ? "bad" : "good"}>
      {violated === 0
        ? "The card meets every requirement that could be checked."
        : `The card fails ${violated} of ${rules.length} checks.`}
    </Notice>
  );
}

function Faults({ checked }: { checked: CheckedCard }) {
  return (
    <section class="panel">
      <h2>Members that are not as the protocol defines them</h2>
      <ul>
        {checked.faults.map(({ field, expected }, index) => (
          <li key={index}>
            {field && <code>{field}</code>} {expected}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Rule({ rule, requirements }: { rule: CheckedRule; requirements: Requirements }) {
  const [tone, word] = verdicts[rule.verdict];
  return (
    <tr>
      <td>
        <Badge tone={tone}>{word}</Badge>
      </td>
      <td>
        {rule.claim}
        {rule.found && <p class={rule.verdict === "violated" ? "problem text" : "hint text"}>{rule.found}</p>}
      </td>
      <td>
        {rule.ids.map((id) => {
          const [level, statement, section] = requirements[id] ?? [];
          return (
            <details key={id}>
              <summary>
                {section ?? "no section"} <span class="hint">{id}</span>
              </summary>
              <p class="text">
                {level}: {statement?.replaceAll("`", "")}
              </p>
            </details>
          );
        })}
      </td>
    </tr>
  );
}
