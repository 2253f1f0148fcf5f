"""The word quiz's code. Each function does exactly what its description in flow.json says."""


async def beginQuiz(state, *, services, settings, env):
    rounds = state["plan"].get("rounds")
    rounds = 3 if rounds is None else min(10, max(1, int(rounds)))
    return {
        "rounds": rounds,
        "remaining": rounds,
        "level": state["plan"].get("level") or "easy",
        "feedback": "Here we go. Answer with one word; say **hint**, **skip** or **stop** if you like.",
    }


async def pickWord(state, *, services, settings, env):
    used = state["used"]
    candidates = [entry for entry in state["words"] if entry["level"] == state["level"]]
    fresh = [entry for entry in candidates if entry["word"] not in used]
    if not fresh:
        names = [entry["word"] for entry in candidates]
        used = [word for word in used if word not in names]
        fresh = candidates
    return {"word": fresh[0], "used": [*used, fresh[0]["word"]], "number": state["number"] + 1, "hints": 0}


async def judgeGuess(state, *, services, settings, env):
    def plain(text):
        return text.lower().strip(" \t\r\n.!?,\"'")

    guess = plain(state["guess"])
    for article in ("a ", "an ", "the "):
        if guess.startswith(article):
            guess = guess.removeprefix(article).strip()
            break
    if guess in [plain(word) for word in (state["word"]["word"], *state["word"]["also"])]:
        return {"verdict": "right", "feedback": ""}
    if guess == "hint" and state["hints"] >= 2:
        return {"verdict": "wrong", "feedback": "No more hints for this one."}
    if guess in ("hint", "skip", "stop"):
        return {"verdict": guess, "feedback": ""}
    return {"verdict": "wrong", "feedback": f'Not "{state["guess"].strip()}". One more try.'}


async def giveHint(state, *, services, settings, env):
    word, hints = state["word"]["word"], state["hints"]
    if hints == 0:
        feedback = f"Hint: it has {len(word)} letters and begins with **{word[0].upper()}**."
    else:
        feedback = f"Hint: it begins with **{word[: (len(word) + 1) // 2].upper()}**."
    return {"hints": hints + 1, "feedback": feedback}


async def countWord(state, *, services, settings, env):
    word, right = state["word"]["word"], state["verdict"] == "right"
    answer = "–" if state["verdict"] == "skip" else state["guess"].strip()
    return {
        "remaining": state["remaining"] - 1,
        "score": state["score"] + right,
        "results": [{"word": word, "answer": answer, "right": right}],
        "feedback": f"Right, **{word}**." if right else f"It was **{word}**.",
    }


async def finishQuiz(state, *, services, settings, env):
    score, rounds, best = state["score"], len(state["results"]), state["best"]
    if rounds == 0:
        return {"new_best": False}
    if best:
        before, now = best["score"] / best["rounds"], score / rounds
        if now < before or (now == before and rounds <= best["rounds"]):
            return {"new_best": False}
    return {"new_best": True, "best": {"score": score, "rounds": rounds}}
